# A malformed attribute costs a route, not the session (RFC 7606); a malformed header costs the session alone.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
never as65012 down
never as65011 down
# ORIGIN of two octets, for 192.0.2.0/24: treat-as-withdraw
as65011 sends ffffffffffffffffffffffffffffffff 0030 02 0000 0015 4001020000 400206 02010000fdf3 400304 0a000101 18c00002
expect as65012 lacks 192.0.2.0/24
forget
never as65012 down
# a length of 18 octets
as65011 sends ffffffffffffffffffffffffffffffff 0012 04
expect as65011 down
expect as65011 up
expect as65012 has 192.0.2.0/24
forget
stop
