# A changed ROA forbids routes that members hold. The export filter of as65012 and the import filter of as65014 ask for the state
# of the ROA; 300 paths of one network come from one add-path member. Faults: a forbidden route is not withdrawn; only the
# first paths of a network are checked again.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3 add-path
member as65014 as 65014 at 10.0.1.4 add-path
cache rtr1 at 10.0.2.1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr1 adds roa 203.0.113.0/24 max 24 as 64501
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote 10.0.2.1; }
filter valid { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; ipv4 { export filter valid; }; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; ipv4 { add paths tx; }; }
protocol bgp as65014 from member {
	neighbor 10.0.1.4 as 65014;
	ipv4 { import keep filtered on; import filter valid; add paths rx; };
}
.
start
expect cache rtr1 connected
as65011 up
as65012 up
as65013 up
as65014 up
as65011 announces 192.0.2.0/24 path 65011 64500
repeat 300
as65014 announces 203.0.113.0/24 id @ path 65014 64501 community (65014,@)
.
expect as65012 has 192.0.2.0/24 path 65011 64500
expect as65013 has 203.0.113.0/24 community (65014,300)
never as65012 down
never as65013 down
# 192.0.2.0/24: the export filter of as65012 alone refuses the route
cache rtr1 removes roa 192.0.2.0/24 max 24 as 64500
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64599
within 3s expect as65012 lacks 192.0.2.0/24
expect as65013 has 192.0.2.0/24 path 65011 64500
# 203.0.113.0/24: the import filter of as65014 refuses all paths
cache rtr1 removes roa 203.0.113.0/24 max 24 as 64501
cache rtr1 adds roa 203.0.113.0/24 max 24 as 64599
within 5s expect as65013 lacks 203.0.113.0/24
expect as65012 lacks 203.0.113.0/24
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr1 adds roa 203.0.113.0/24 max 24 as 64501
within 3s expect as65012 has 192.0.2.0/24 path 65011 64500
within 5s expect as65013 has 203.0.113.0/24 community (65014,300)
settle
forget
stop
