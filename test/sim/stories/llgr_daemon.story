# The daemon is away for longer than its restart time: a member with long-lived graceful restart (RFC 9494) marks the routes of
# the daemon and keeps them for the daemon's long-lived stale time; another member drops them. A daemon that comes back with
# -R within this time confirms the routes; a daemon that comes back without preserved state does not.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 restarts ipv6
member as65012 as 65012 at 10.0.1.2 restarts ipv6 long-lived 60
member as65013 as 65013 at 10.0.1.3 restarts
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; graceful restart time 30; long lived graceful restart on; long lived stale time 100; ipv4 { import all; export all; }; ipv6 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 198.51.100.0/24 path 65011 community (65535,7)
as65011 announces 2001:db8:1::/48 path 65011 next hop 2001:db8::1:1
expect as65012 has 192.0.2.0/24
expect as65012 has 198.51.100.0/24
expect as65012 has 2001:db8:1::/48
expect as65013 has 192.0.2.0/24
settle
crash
after 29s within 1ms expect as65012 has 198.51.100.0/24
within 1ms expect as65013 has 192.0.2.0/24
within 4s expect as65012 has 192.0.2.0/24 (65535,6)
within 1s expect as65012 has 2001:db8:1::/48 (65535,6)
within 1s expect as65012 lacks 198.51.100.0/24
within 1s expect as65013 lacks 192.0.2.0/24
# the daemon has preserved its state: the mark goes, the route stays
never as65012 lacks 192.0.2.0/24
never as65012 lacks 2001:db8:1::/48
start -R
expect as65012 up
expect as65012 has 198.51.100.0/24
expect as65012 lacks 192.0.2.0/24 (65535,6)
expect as65012 lacks 2001:db8:1::/48 (65535,6)
forget
settle
# the end of the daemon's long-lived stale time, 30 s + 100 s after the loss
crash
after 127s within 1ms expect as65012 has 192.0.2.0/24 (65535,6)
within 5s expect as65012 lacks 192.0.2.0/24
within 5s expect as65012 lacks 2001:db8:1::/48
start
expect as65012 has 192.0.2.0/24
settle
# the daemon comes back without its state
crash
after 60s expect as65012 has 192.0.2.0/24 (65535,6)
as65011 down
start
expect as65012 up
within 1s expect as65012 lacks 192.0.2.0/24
as65011 up
expect as65012 has 192.0.2.0/24
stop
