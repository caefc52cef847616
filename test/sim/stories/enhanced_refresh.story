# Refreshes with marks of their begin and their end (RFC 7313) in both directions: a refresh repeats each route and costs no
# route. A route that the other side no longer has goes at the end of the refresh, without a withdrawal.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 enhanced-refresh ipv6
member as65012 as 65012 at 10.0.1.2 enhanced-refresh ipv6
member as65013 as 65013 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; ipv6 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65011 fills 3000 from 10.64.0.0/24 path 65011
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 2001:db8:1::/48 path 65011 next hop 2001:db8::1:1
as65013 announces 198.51.100.0/24 path 65013
expect as65012 has 10.75.183.0/24
expect as65012 has 192.0.2.0/24
expect as65012 has 2001:db8:1::/48
expect as65012 has 198.51.100.0/24
settle
# the daemon repeats its routes to a member
never as65012 lacks 10.64.0.0/24
never as65012 lacks 10.75.183.0/24
never as65012 lacks 2001:db8:1::/48
never as65012 down
as65012 refreshes
expect as65012 refreshed
command reload out as65012
settle
# a route changes and a route goes during a refresh
as65012 refreshes
as65011 announces 192.0.2.0/24 path 65011 64500
as65013 withdraws 198.51.100.0/24
expect as65012 refreshed
expect as65012 has 192.0.2.0/24 path 65011 64500
expect as65012 lacks 198.51.100.0/24
settle
# a member repeats its routes to the daemon: the route that the member no longer has goes
as65011 drops 192.0.2.0/24
settle
within 1ms expect as65012 has 192.0.2.0/24
command reload in as65011
within 10s expect as65012 lacks 192.0.2.0/24
settle
# a refresh of the daemon without marks, from a member without the capability
as65013 announces 100.64.0.0/24 path 65013
command reload in as65013
expect as65012 has 100.64.0.0/24
as65013 refreshes
settle
fresh
forget
stop
