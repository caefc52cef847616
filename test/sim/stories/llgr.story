# Long-lived graceful restart of members (RFC 9494): after the restart time of 120 s stale routes have LLGR_STALE, are the last
# choice, and reach members with the capability alone. A route with NO_LLGR goes at 120 s, the stale routes go after the
# member's long-lived stale time.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts long-lived 600
member as65012 as 65012 at 10.0.1.2 restarts long-lived 60
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; long lived graceful restart on; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65011 announces 192.0.2.0/24 path 65011
as65013 announces 192.0.2.0/24 path 65013 65013 65013
as65011 announces 198.51.100.0/24 path 65011 community (1,2)
as65011 announces 203.0.113.0/24 path 65011 community (65535,7)
expect as65012 has 192.0.2.0/24 path 65011
expect as65012 has 198.51.100.0/24
expect as65012 has 203.0.113.0/24
expect as65014 has 198.51.100.0/24
never as65012 down
never as65014 down
settle
# graceful restart: nothing changes for 120 s
never as65012 lacks 192.0.2.0/24 path 65011
never as65014 lacks 198.51.100.0/24
never as65012 has 198.51.100.0/24 (65535,6)
as65011 lost
after 118s within 1ms expect as65012 has 203.0.113.0/24
within 1ms expect as65014 has 192.0.2.0/24 path 65011
forget
never as65012 lacks 198.51.100.0/24
never as65012 lacks 192.0.2.0/24
never as65014 has 198.51.100.0/24 (65535,6)
# long-lived: the last choice; marked; not for members without the capability; not with NO_LLGR
within 4s expect as65012 has 192.0.2.0/24 path 65013 65013 65013
within 1s expect as65012 has 198.51.100.0/24 community (1,2) (65535,6)
within 1s expect as65014 lacks 198.51.100.0/24
within 1s expect as65014 has 192.0.2.0/24 path 65013
within 1s expect as65012 lacks 203.0.113.0/24
# a stale route remains the last choice when the other route goes and comes back
as65013 withdraws 192.0.2.0/24
within 1s expect as65012 has 192.0.2.0/24 (65535,6)
within 1s expect as65014 lacks 192.0.2.0/24
as65013 announces 192.0.2.0/24 path 65013 65013 65013
within 1s expect as65012 has 192.0.2.0/24 path 65013
# the end of the long-lived stale time, 120 s + 600 s after the loss
after 592s within 1ms expect as65012 has 198.51.100.0/24 (65535,6)
forget
within 12s expect as65012 lacks 198.51.100.0/24
expect as65012 has 192.0.2.0/24 path 65013
# the member comes back within the long-lived stale time: its routes lose the mark, and what the member no longer has goes
as65011 up
expect as65012 has 198.51.100.0/24 community (1,2)
expect as65012 has 203.0.113.0/24
as65011 lost
after 125s expect as65012 has 198.51.100.0/24 (65535,6)
never as65012 lacks 198.51.100.0/24
as65011 drops 192.0.2.0/24
as65011 up
expect as65012 has 203.0.113.0/24
expect as65012 lacks 198.51.100.0/24 (65535,6)
expect as65014 has 198.51.100.0/24
expect as65012 has 192.0.2.0/24 path 65013
settle
command show route 192.0.2.0/24
answer lacks as65011
forget
stop
