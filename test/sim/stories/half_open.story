# A half-open connection: the host of a member dies without a word and dials again; the daemon still has the old
# session. The new connection is refused until the hold time of the old session is over; the other members see no fault.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 60; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
never as65012 down
cut 10.0.1.1
as65011 lost
after 20s command show protocols as65011
answer has Established
as65011 up
mend 10.0.1.1
expect as65011 up
expect as65012 has 192.0.2.0/24
fresh
forget
stop
