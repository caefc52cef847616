# A member whose BFD session is lost loses its BGP session within the detection time, whatever the hold time; its routes leave
# the others. Two lost packets, a wrong TTL and a restart of nobody cost nothing.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
bfd b11 at 10.0.1.1 interval 100ms multiplier 5
bfd b12 at 10.0.1.2 interval 300ms multiplier 5
bfd b13 at 10.0.1.3 interval 100ms multiplier 3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bfd { interface "eth0" { interval 100 ms; multiplier 5; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; bfd on; error wait time 5, 20; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011
expect bfd b11 up
expect bfd b12 up
expect bfd b13 up
expect as65012 has 192.0.2.0/24
settle
bfd b12 counts anew
never as65011 down
never as65012 down
never bfd b12 lost
# minutes in peace
after 4min expect bfd b11 up
# 150 ms without a packet: two packets are lost, a third may be lost by chance, and the next packet takes up to 50 ms; a
# detection time of 300 ms would be too short
cut 10.0.1.1
after 150ms mend 10.0.1.1
after 5s expect bfd b11 up
# intervals change without a loss
bfd b11 interval 400ms
after 10s bfd b11 interval 50ms
after 10s bfd b11 interval 100ms
after 10s expect bfd b11 up
command show bfd sessions
answer has Up
forget
never as65012 down
never bfd b12 lost
bfd b11 falls silent
within 620ms expect as65011 down
as65011 down
within 1s expect bfd b11 hears down 1
within 1s expect as65012 lacks 192.0.2.0/24
# the member comes back with its BFD session
bfd b11 speaks
expect bfd b11 up
as65011 up
expect as65012 has 192.0.2.0/24
# the neighbor signals
bfd b11 signals
within 200ms expect as65011 down
expect as65011 up
expect bfd b11 up
# a packet from afar does not count (RFC 5881, 5)
bfd b13 ttl 254
within 420ms expect as65013 down
bfd b13 ttl 255
expect as65013 up
expect bfd b13 up
# its operator takes BFD down: that says nothing about the path
settle
never as65011 down
bfd b11 down
# A Down packet that an Init packet overtakes is a loss of the session. The system sends no Down packet: the system is
# silent until the state is Init.
after 1min bfd b11 falls silent
bfd b11 up
expect bfd b11 init
bfd b11 speaks
expect bfd b11 up
settle
forget
expect as65011 up
expect bfd b11 up
# the link
link eth0 down
within 4s expect bfd b11 down
link eth0 up
expect bfd b11 up
expect bfd b12 up
stop
