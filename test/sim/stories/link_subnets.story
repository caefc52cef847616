# A session follows the subnets of its link (RFC 4271, 5.1.3): a next hop in a subnet that the link gets during the session reaches
# the member unchanged, and a next hop in a subnet that the link loses does not. A member whose session is older than the
# change gets the same routes as a member whose session is younger. An IPv6 address does not concern sessions without IPv6
# next hops: the daemon asks no member for a refresh.
link eth0 10.9.0.1/24
member as64502 as 64502 at 10.9.0.12 to 10.9.0.1
member as64503 as 64503 at 10.9.0.13 to 10.9.0.1
member as65000 as 65000 at 10.9.0.14 to 10.9.0.1
config
router id 10.0.0.1;
log "/sim/log" all;
debug protocols { packets };
protocol device {}
protocol direct { ipv4; }
template bgp member { local 10.9.0.1 as 65000; passive; ipv4 { import all; export all; }; }
protocol bgp as64502 from member { neighbor 10.9.0.12 as 64502; }
protocol bgp as64503 from member { neighbor 10.9.0.13 as 64503; }
protocol bgp as65000 from member { neighbor 10.9.0.14 as 65000; multihop; }
.
start
as64502 up
as65000 up
expect as64502 up
expect as65000 up
as65000 announces 192.0.2.0/24 path 64777 pref 100 next hop 10.9.1.78
settle
link eth0 gets fe80::9/64
settle
log lacks Sending ROUTE-REFRESH
link eth0 gets 10.9.1.1/24
expect log Sending ROUTE-REFRESH
as64503 up
expect as64503 has 192.0.2.0/24 next hop 10.9.1.78
expect as64502 has 192.0.2.0/24 next hop 10.9.1.78
as65000 announces 198.51.100.0/24 path 64777 pref 100 next hop 10.9.1.78
expect as64503 has 198.51.100.0/24 next hop 10.9.1.78
expect as64502 has 198.51.100.0/24 next hop 10.9.1.78
never as64502 down
never as64503 down
link eth0 loses 10.9.1.1/24
expect as64502 lacks 192.0.2.0/24 next hop 10.9.1.78
expect as64503 lacks 192.0.2.0/24 next hop 10.9.1.78
as65000 announces 203.0.113.0/24 path 64777 pref 100 next hop 10.9.1.79
expect as64502 lacks 203.0.113.0/24 next hop 10.9.1.79
expect as64503 lacks 203.0.113.0/24 next hop 10.9.1.79
fresh
forget
stop
