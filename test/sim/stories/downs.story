# `show members`: the losses of a session by hour and by day, over a week and a configuration that restarts the session.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
file /sim/members.conf
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
.
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
include "/sim/members.conf";
MEMBERS
.
start
as65011 up
as65012 up
expect as65011 up
expect as65012 up
command json show members
answer lacks "downs
# a loss in each of three days
as65011 down
at 2min as65011 up
expect as65011 up
command json show members as65011
answer has "downs":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1],"downs_days":[0,0,0,0,0,0,1]
at 30h as65011 reset
expect as65011 up
as65011 reset
expect as65011 up
command json show members as65011
answer has "downs":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2],"downs_days":[0,0,0,0,0,1,2]
# the protocol starts anew with another hold time, which counts as no loss, and keeps the counts
file /sim/members.conf
template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 120; ipv4 { import all; export all; }; }
.
at 80h command configure
expect as65011 up
command json show members as65011
answer has "downs_days":[0,0,0,1,2,0,0]
command json show members as65012
answer lacks "downs
# a day without a loss has no list of hours, and a week without a loss has no list
at 110h command json show members as65011
answer lacks "downs":
answer has "downs_days":[0,0,1,2,0,0,0]
at 249h command json show members as65011
answer lacks "downs
# a restart of the daemon begins anew
as65011 reset
expect as65011 up
command json show members as65011
answer has "downs_days":[0,0,0,0,0,0,1]
stop
start
expect as65011 up
command json show members as65011
answer lacks "downs
stop
