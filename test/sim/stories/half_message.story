# The first half of an UPDATE: the rest comes 40 s later and counts; or never, and the hold time ends the session.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 hold 90
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 90; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
expect as65011 up
expect as65012 up
settle
never as65011 down
never as65012 down
as65011 silent
as65011 sends ffffffffffffffffffffffffffffffff 002f 02 0000 0014 4001010040
after 40s as65012 announces 198.51.100.0/24 path 65012
expect as65011 has 198.51.100.0/24
expect as65012 lacks 192.0.2.0/24
as65011 sends 0206 02010000fdf3 400304 0a000101 18c00002
within 2s expect as65012 has 192.0.2.0/24 path 65011
forget
never as65012 down
as65011 sends ffffffffffffffffffffffffffffffff 002f 02
after 85s within 1ms expect as65011 up
within 10s expect as65011 told 4
within 1s expect as65012 lacks 192.0.2.0/24
forget
stop
