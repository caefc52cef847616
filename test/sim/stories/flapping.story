# A member flaps 50 times, by a reset, a lost connection and a Cease: each session has the member's routes in the end.
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
as65012 up
expect as65012 up
never as65012 down
as65011 up
repeat 50
as65011 announces 10.64.@.0/24 path 65011
expect as65011 up
as65011 reset
after 500ms as65011 lost
after 200ms as65011 up
after 3s as65011 down
as65011 up
.
expect as65011 up
repeat 50
expect as65012 has 10.64.@.0/24
.
as65011 down
expect as65012 lacks 10.64.1.0/24
expect as65012 lacks 10.64.50.0/24
as65011 up
expect as65012 has 10.64.50.0/24
fresh
forget
stop
