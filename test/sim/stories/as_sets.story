# AS sets (RFC 9774): a path with a set is no route, unless the session allows sets. Large communities (RFC 8092) pass,
# and filters read and add them.
link eth0 10.0.0.1/16
member strict as 65011 at 10.0.1.1
member allowed as 65012 at 10.0.1.2
member see as 65013 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; allow as sets on; ipv4 { import all; export all; }; }
protocol bgp strict from member { neighbor 10.0.1.1 as 65011; allow as sets off; ipv4 { import keep filtered; }; }
protocol bgp allowed from member { neighbor 10.0.1.2 as 65012; }
protocol bgp see from member { neighbor 10.0.1.3 as 65013; ipv4 { export filter {
  if (65000, 0, 65013) ~ bgp_large_community then reject; bgp_large_community.add((65000, 1, 2)); accept; }; }; }
.
start
strict up
allowed up
see up
strict announces 192.0.2.0/24 path 65011 {64500 64501}
strict announces 192.0.3.0/24 path 65011
allowed announces 198.51.100.0/24 path 65012 {64500 64501}
expect see has 192.0.3.0/24
expect see has 198.51.100.0/24 path 65012 {64500 64501}
expect see lacks 192.0.2.0/24
expect strict up
allowed announces 203.0.113.0/24 path 65012 large (65000,9,9) (65000,9,10)
allowed announces 203.0.114.0/24 path 65012 large (65000,0,65013)
expect see has 203.0.113.0/24 large (65000,9,9) (65000,9,10) (65000,1,2)
expect strict has 203.0.114.0/24 large (65000,0,65013)
expect see lacks 203.0.114.0/24
fresh
stop
