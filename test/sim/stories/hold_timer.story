# A member that falls silent loses its session when the hold time is over, and its routes leave the others.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 30; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
never as65012 down
as65011 announces 198.51.100.0/24 path 65011
expect as65012 has 198.51.100.0/24
cut 10.0.1.1
# 30 s since the last message
after 28s within 1ms expect as65012 has 192.0.2.0/24
within 3s expect as65012 lacks 192.0.2.0/24
mend 10.0.1.1
expect as65011 up
expect as65012 has 192.0.2.0/24
forget
stop
