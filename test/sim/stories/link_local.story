# Members with link-local addresses (fe80::/10): as65011 and as65012 have the same address on two interfaces, and each session
# belongs to its interface. IPv4 routes have IPv6 next hops (RFC 8950) where both sides have the capability.
link eth0 10.0.0.1/16 2001:db8::1/64 fe80::1/64
link eth1 10.1.0.1/16 2001:db8:1::1/64 fe80::1/64
member as65011 as 65011 at fe80::11%eth0 to fe80::1%eth0 ipv6 extended-next-hop
member as65012 as 65012 at fe80::11%eth1 to fe80::1%eth1 ipv6 extended-next-hop
member as65013 as 65013 at fe80::13%eth0 to fe80::1%eth0 ipv6
member as65014 as 65014 at 10.0.1.4 ipv6
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { passive; hold time 30; ipv4 { extended next hop on; import all; export all; }; ipv6 { import all; export all; }; }
protocol bgp as65011 from member { local fe80::1 as 65000; neighbor fe80::11%eth0 as 65011; }
protocol bgp as65012 from member { local fe80::1 as 65000; neighbor fe80::11%eth1 as 65012; }
protocol bgp as65013 from member { local fe80::1 as 65000; neighbor fe80::13%eth0 as 65013; rs client; }
protocol bgp as65014 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.4 as 65014; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
expect as65011 up
expect as65012 up
expect as65013 up
expect as65014 up
never as65012 down
never as65013 down
never as65014 down
# On the link the next hop is the member's link-local address, and on the other link the daemon's link-local address.
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 2001:db8:11::/48 path 65011
as65012 announces 198.51.100.0/24 path 65012
as65012 announces 2001:db8:12::/48 path 65012
expect as65013 has 2001:db8:11::/48 next hop :: and fe80::11
expect as65014 has 2001:db8:11::/48 next hop :: and fe80::11
expect as65012 has 2001:db8:11::/48 next hop :: and fe80::1
expect as65011 has 2001:db8:12::/48 next hop :: and fe80::1
expect as65012 has 192.0.2.0/24 next hop :: and fe80::1
expect as65011 has 198.51.100.0/24 next hop :: and fe80::1
# without the capability: the daemon's IPv4 address, or no route for a client of the route server
expect as65014 has 192.0.2.0/24 next hop 10.0.0.1
expect as65014 has 198.51.100.0/24 next hop 10.0.0.1
expect as65013 lacks 192.0.2.0/24
# A member is lost on one link. The member with the same address on the other link stays.
never as65013 lacks 2001:db8:12::/48
cut fe80::11%eth0
within 40s expect as65013 lacks 2001:db8:11::/48
expect as65012 lacks 192.0.2.0/24
mend fe80::11%eth0
expect as65011 up
expect as65013 has 2001:db8:11::/48 next hop :: and fe80::11
# the operator restarts one of the two
command restart as65011
expect as65012 has 2001:db8:11::/48 next hop :: and fe80::1
command show protocols all as65012
answer has Neighbor address: fe80::11%eth1
answer has Established
fresh
forget
stop
