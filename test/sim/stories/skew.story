# Members whose clocks are fast and slow (`timers N%`). The hold time of the sessions is 90 s. The daemon sends a KEEPALIVE each 22 s to
# 30 s, so that a member whose hold timer runs 72 s or 40 s keeps the session; the slow member sends a KEEPALIVE each 37.5 s, and the
# session stays, too. A member that sends a KEEPALIVE each 120 s loses the session by the daemon's hold timer.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 timers 80% restarts
member as65012 as 65012 at 10.0.1.2 timers 125%
member as65013 as 65013 at 10.0.1.3 timers 45%
member as65014 as 65014 at 10.0.1.4 timers 400%
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 90; graceful restart on; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011
as65012 announces 198.51.100.0/24 path 65012
expect as65011 has 198.51.100.0/24
expect as65012 has 192.0.2.0/24
expect as65013 has 192.0.2.0/24
never as65011 down
never as65012 down
never as65013 down
as65014 up
expect as65014 up
as65014 announces 203.0.113.0/24 path 65014
expect as65012 has 203.0.113.0/24
# no KEEPALIVE within 90 s
after 80s within 1ms expect as65014 up
within 15s expect as65014 told 4
as65014 down
expect as65012 lacks 203.0.113.0/24
# two hours of silence
after 2h expect as65011 has 198.51.100.0/24
forget
# The daemon's restart time is 120 s, and the fast member keeps the daemon's routes for 96 s.
crash
after 90s within 1ms expect as65011 has 198.51.100.0/24
within 10s expect as65011 lacks 198.51.100.0/24
