# 600 protocols answer the control worker at once, and end at once. A loop handles 256 messages of a worker in a round, and gives
# the worker another turn for the rest: no answer and no end of the daemon waits for a message that nobody sends. One thread
# for all workers makes the inbox longest.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
config
router id 10.0.0.1;
threads 1;
log "/sim/log" all;
protocol device {}
REPEAT 600 protocol static s@ { ipv4; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
expect as65011 up
never as65011 down
command disable "s*"
answer has s600
command enable "s*"
answer has s600
# all go, and all come back
config
router id 10.0.0.1;
threads 1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
within 10s expect answer No protocols match of show protocols "s*"
config
router id 10.0.0.1;
threads 1;
log "/sim/log" all;
protocol device {}
REPEAT 600 protocol static s@ { ipv4; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
within 10s expect answer s600 of show protocols s600
# all end with the daemon
forget
stop
