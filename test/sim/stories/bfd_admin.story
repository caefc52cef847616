# AdminDown is sent for a detection time (RFC 5880, 6.8.16): each neighbor learns that an operator has taken the session
# down, although the first packet is lost. A session that is wanted again meanwhile comes up. Fault: AdminDown is sent
# once, and the neighbor sees a lost path. A session that is not up sends one packet a second (6.8.3), so the detection
# time has three seconds.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
bfd b11 at 10.0.1.1 interval 600ms
bfd b12 at 10.0.1.2 interval 600ms
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bfd bfd1 { interface "eth0" { interval 600 ms; multiplier 5; }; neighbor 10.0.1.2; }
protocol bgp as65011 { local 10.0.0.1 as 65000; neighbor 10.0.1.1 as 65011; passive; bfd on; ipv4 { import all; export all; }; }
.
start
as65011 up
expect as65011 up
expect bfd b11 up
expect bfd b12 up
# a packet of the beginning that arrives late takes the session down once more
after 3s expect bfd b11 up
expect bfd b12 up
expect as65011 up
never as65011 down
# the instance is disabled
cut 10.0.1.2
command disable bfd1
after 100ms mend 10.0.1.2
within 2500ms expect bfd b12 hears admin 7
expect bfd b11 hears admin 7
# enabled again within the detection time; a packet of the first second that arrives late takes the session down again
forget
after 100ms command enable bfd1
expect bfd b11 up
expect bfd b12 up
# the request of the session ends
cut 10.0.1.1
command disable as65011
after 100ms mend 10.0.1.1
within 2500ms expect bfd b11 hears admin 7
command show bfd sessions
answer lacks 10.0.1.1
after 100ms command enable as65011
expect as65011 up
expect bfd b11 up
# the daemon ends AdminDown after the detection time, and ends itself
command disable bfd1
expect bfd b11 hears admin 7
after 20s command enable bfd1
expect bfd b11 up
expect bfd b12 up
stop
within 1s expect bfd b12 down
