# `show diff`: sessions, reloads, and the routes that a member gained and lost.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import keep filtered; import filter { if net.len > 24 then reject; accept; }; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
expect as65011 up
expect as65012 up
as65011 announces 192.0.2.0/24 path 65011 64500
as65011 announces 198.51.100.0/24 path 65011 64500
as65011 announces 198.51.100.0/25 path 65011 64500
expect as65012 has 192.0.2.0/24 path 65011 64500
expect as65012 has 198.51.100.0/24 path 65011 64500
at 30s command json show diff since 1 as65011
answer has "gained":2,"lost":0,"accepted":2,"filtered":1
answer has "kind":"session_up"
answer has "reason":"restart"
# another member is quiet
command json show diff since 1 as65012
answer has "kind":"session_up"
answer lacks "kind":"routes"
# a route goes and comes within a second; another route goes
at 60s as65011 withdraws 192.0.2.0/24
as65011 withdraws 198.51.100.0/24
as65011 announces 192.0.2.0/24 path 65011 64500
at 70s command json show diff since 1 as65011
answer has "gained":1,"lost":2,"accepted":1,"filtered":1
# the session ends: its routes are lost
at 80s as65011 down
at 90s command show diff since 1 as65011
answer has session_down
answer has ipv4 +0 -1, 0 accepted, 0 filtered
at 100s command reload in as65012
command json show diff since 1 as65012
answer has "kind":"reload"
answer has "direction":"import","by":"command"
command show diff since 03:00 until 03:01
answer has 0000
stop
