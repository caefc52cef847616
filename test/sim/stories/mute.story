# A member that connects and never sends OPEN: the startup hold time ends the connection, and no other session; the
# member is welcome as soon as the member speaks, in the next connection and in a connection that has begun.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; startup hold time 100; error wait time 5, 5;
  ipv4 { import all; export all; }; }
MEMBERS
.
start
as65012 up
expect as65012 up
never as65012 down
as65011 mute
as65011 up
after 90s within 1ms expect as65011 told 0
within 20s expect as65011 told 4 0
after 60s expect as65011 down
as65011 speaks
within 10s expect as65011 up
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
fresh
forget
stop
