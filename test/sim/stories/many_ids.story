# A prefix with 5,000 routes of one member: each step of `show route` comes further, although a step is over after 1 ms, and the
# member and another client wait for nothing.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 add-path
member as65012 as 65012 at 10.0.1.2
client k
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { add paths on; import keep filtered; import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 fills 5000 ids of 192.0.2.0/24 path 65011 64500
as65011 announces 192.0.2.0/24 id 5001 path 65011
expect as65012 has 192.0.2.0/24 path 65011
settle
never as65011 down
never as65012 down
command show route count
answer has 5001 of 5001 routes for 1 networks
command show route 192.0.2.0/24
command show route primary 192.0.2.0/24
command show route stats
command show route filtered count
command show route all for 192.0.2.1
client k sends show route 192.0.2.0/24 all
as65011 announces 198.51.100.0/24 path 65011
within 5s expect as65012 has 198.51.100.0/24
expect client k answered
# the routes go while somebody looks
client k sends show route all
as65011 empties 5000 ids of 192.0.2.0/24
expect client k answered
expect answer 2 of 2 routes of show route count
forget
stop
