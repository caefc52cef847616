# A route that cannot be encoded for a member is not withdrawn from a member that does not hold the route, and is
# withdrawn from a member that holds an earlier route of the network.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 extended-next-hop
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3 extended-next-hop
config
router id 10.0.0.1;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { extended next hop on; import all;
	export where net.len > 8; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011 next hop 2001:db8::11
expect as65013 has 192.0.2.0/24 next hop 2001:db8::11
expect as65012 lacks 192.0.2.0/24
as65011 announces 192.0.3.0/24 path 65011
expect as65012 has 192.0.3.0/24 next hop 10.0.1.1
as65011 announces 192.0.3.0/24 path 65011 next hop 2001:db8::11
expect as65012 lacks 192.0.3.0/24
as65011 withdraws 192.0.2.0/24
as65011 withdraws 192.0.3.0/24
expect as65013 lacks 192.0.2.0/24
settle
stop
