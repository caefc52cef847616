# IPv4 routes with IPv6 next hops (RFC 8950) in both directions: from and to members that have the capability, over IPv4 and over
# IPv6. Without the capability a client of the route server does not get such a route, and another member gets the daemon's
# IPv4 address as next hop; an IPv6 next hop would fail the story.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 extended-next-hop
member as65012 as 65012 at 10.0.1.2 extended-next-hop
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 2001:db8::1:4 to 2001:db8::1 extended-next-hop
member as65015 as 65015 at 10.0.1.5 extended-next-hop
member as65016 as 65016 at 10.0.1.6
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { passive; ipv4 { extended next hop on; import all; export all; }; }
protocol bgp as65011 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.1 as 65011; rs client; }
protocol bgp as65012 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.2 as 65012; rs client; }
protocol bgp as65013 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.3 as 65013; rs client; }
protocol bgp as65014 from member { local 2001:db8::1 as 65000; neighbor 2001:db8::1:4 as 65014; rs client; }
protocol bgp as65015 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.5 as 65015; ipv4 { extended next hop off; }; }
protocol bgp as65016 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.6 as 65016; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65015 up
as65016 up
as65011 announces 192.0.2.0/24 path 65011 next hop 2001:db8::1:1
as65013 announces 198.51.100.0/24 path 65013
as65014 announces 203.0.113.0/24 path 65014
expect as65012 has 192.0.2.0/24 next hop 2001:db8::1:1
expect as65014 has 192.0.2.0/24 next hop 2001:db8::1:1
expect as65011 has 203.0.113.0/24 next hop 2001:db8::1:4
expect as65012 has 198.51.100.0/24 next hop 10.0.1.3
expect as65014 has 198.51.100.0/24 next hop 10.0.1.3
# without the capability, and where the daemon does not offer the capability
expect as65016 has 192.0.2.0/24 next hop 10.0.0.1
expect as65016 has 203.0.113.0/24 next hop 10.0.0.1
expect as65015 has 192.0.2.0/24 next hop 10.0.0.1
expect as65013 lacks 192.0.2.0/24
never as65012 down
never as65013 down
never as65014 down
never as65016 down
# a next hop that changes its family
as65011 announces 192.0.2.0/24 path 65011 next hop 10.0.1.1
expect as65012 has 192.0.2.0/24 next hop 10.0.1.1
expect as65013 has 192.0.2.0/24 next hop 10.0.1.1
as65011 announces 192.0.2.0/24 path 65011 next hop 2001:db8::1:1
expect as65012 has 192.0.2.0/24 next hop 2001:db8::1:1
expect as65013 lacks 192.0.2.0/24
# many routes, a refresh, a withdrawal
as65011 fills 3000 from 10.64.0.0/24 path 65011 next hop 2001:db8::1:1
expect as65012 has 10.75.183.0/24 next hop 2001:db8::1:1
expect as65016 has 10.75.183.0/24 next hop 10.0.0.1
as65012 refreshes
as65011 withdraws 192.0.2.0/24
expect as65012 lacks 192.0.2.0/24
expect as65016 lacks 192.0.2.0/24
as65011 empties 3000 from 10.64.0.0/24
expect as65012 lacks 10.75.183.0/24
expect as65014 lacks 10.64.0.0/24
fresh
forget
stop
