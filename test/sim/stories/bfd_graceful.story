# `bfd graceful`: the loss of the BFD session keeps the routes of a member that restarts as stale routes; `bfd on` withdraws
# the routes at once.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3 restarts
bfd b11 at 10.0.1.1
bfd b13 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bfd { interface "eth0" { interval 100 ms; multiplier 3; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; bfd graceful; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; bfd on; }
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011
as65013 announces 198.51.100.0/24 path 65013
expect as65012 has 192.0.2.0/24
expect as65012 has 198.51.100.0/24
expect bfd b11 up
expect bfd b13 up
never as65012 down
cut 10.0.1.1
cut 10.0.1.3
within 1s expect as65012 lacks 198.51.100.0/24
expect as65012 has 192.0.2.0/24
after 1s command show protocols as65011
answer lacks Established
after 20s expect as65012 has 192.0.2.0/24
mend 10.0.1.1
mend 10.0.1.3
expect bfd b11 up
expect bfd b13 up
expect as65011 up
expect as65013 up
expect as65012 has 198.51.100.0/24
expect as65012 has 192.0.2.0/24
# a member that does not come back: its stale routes go when the restart time is over, 120 s
bfd b11 falls silent
as65011 lost
after 118s expect as65012 has 192.0.2.0/24
within 4s expect as65012 lacks 192.0.2.0/24
forget
stop
