# Steps of the calendar clock end no session, and neither shorten nor lengthen the time of stale routes (RFC 4724) or of
# an override.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
never as65011 down
never as65012 down
clock 30h
after 5min expect as65011 up
forget
never as65012 down
as65011 lost
after 10s clock 9h
after 100s within 1ms expect as65012 has 192.0.2.0/24
within 30s expect as65012 lacks 192.0.2.0/24
forget
stop
