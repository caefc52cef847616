# Messages of more than 4,096 octets (RFC 8654) from and to members that have the capability; no such message to another member.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 extended-messages
member as65012 as 65012 at 10.0.1.2 extended-messages
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4 extended-messages
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; enable extended messages; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; enable extended messages; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; enable extended messages; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
expect as65012 up
expect as65013 up
expect as65014 up
as65011 fills 20000 from 10.64.0.0/24 path 65011
expect as65012 has 10.142.31.0/24
expect as65013 has 10.142.31.0/24
expect as65014 has 10.142.31.0/24
settle
never as65011 down
never as65012 down
never as65013 down
never as65014 down
# the daemon repeats all routes at once
as65012 refreshes
as65013 refreshes
as65014 refreshes
expect as65012 got 5000
as65011 empties 20000 from 10.64.0.0/24
expect as65012 lacks 10.64.0.0/24
expect as65013 lacks 10.142.31.0/24
expect as65014 lacks 10.64.0.0/24
fresh
forget
stop
