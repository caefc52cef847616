# A changed ROA rejects a route that a member has announced long before, and brings the route back.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
cache rtr1 at 10.0.2.1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote 10.0.2.1; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import keep filtered on; import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
expect cache rtr1 connected
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011 64500
as65013 announces 192.0.2.0/24 path 65013 65013 65013 64501
expect as65012 has 192.0.2.0/24 path 65011 64500
never as65012 down
# the holder has moved to another AS
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64501
cache rtr1 removes roa 192.0.2.0/24 max 24 as 64500
within 3s expect as65012 has 192.0.2.0/24 path 65013 65013 65013 64501
cache rtr1 removes roa 192.0.2.0/24 max 24 as 64501
within 3s expect as65012 has 192.0.2.0/24 path
# a longer prefix than the maximum
cache rtr1 adds roa 192.0.0.0/16 max 23 as 64500
expect as65012 lacks 192.0.2.0/24
cache rtr1 adds roa 192.0.0.0/16 max 24 as 64500
within 3s expect as65012 has 192.0.2.0/24 path
forget
stop
