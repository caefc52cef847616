# A BFD session that is lost before the BGP session is established delays nothing: the member comes back at once. The loss
# ends an established BGP session, and the daemon waits before the next session.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
bfd b11 at 10.0.1.1 multiplier 5
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bfd { interface "eth0" { interval 100 ms; multiplier 5; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; bfd on; ipv4 { import all; export all; }; }
MEMBERS
.
start
expect bfd b11 up
settle
bfd b11 falls silent
expect bfd b11 hears down 1
bfd b11 speaks
expect bfd b11 up
as65011 up
within 20s expect as65011 up
settle
bfd b11 falls silent
expect as65011 down
expect answer Error wait: of show protocols all as65011
within 90s expect as65011 up
stop
