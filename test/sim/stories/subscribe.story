# Clients that are subscribed to events: each gets sessions, causes, configurations and problems; a slow client gets them
# later, and a client that never reads holds up nobody. The daemon ends in time beside subscriptions.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
client fast
client slow reads slowly
client mute reads nothing
client late
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; import limit 3 action warn; }; }
MEMBERS
.
start
client fast sends json subscribe events since all
client slow sends json subscribe events since all
client mute sends json subscribe events since all
expect client fast has "kind":"started"
as65011 up
as65012 up
expect client fast has "kind":"session_up"
as65011 fills 10 from 10.64.0.0/24 path 65011
expect client fast has "kind":"limit"
expect client fast has "limit":"import","max":3,"action":"warn"
as65012 announces 198.51.100.0/24 path 65012
expect as65011 has 198.51.100.0/24
as65012 down
expect client fast has "kind":"session_down"
expect client fast has "side":"them"
as65012 up
as65012 announces 192.0.2.0/24 path 65012
expect as65011 has 192.0.2.0/24
command reload as65011
expect client fast has "kind":"reload"
command disable as65012 hold
expect client fast has held by an operator
within 5s expect client fast has "problem":"hold"
command enable as65012
within 5s expect client fast has "kind":"problem_ended"
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol static s1 { ipv4; route 203.0.113.0/24 blackhole; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; import limit 3 action warn; }; }
MEMBERS
.
command configure
expect client fast has "command":"configure"
expect client slow has "command":"configure"
never client fast closed
never client mute closed
after 10min command show status
client late sends subscribe events since all
expect client late has the configuration has changed
client mute reads
expect client mute has "command":"configure"
forget
after 1s stop
expect client fast closed
expect client mute closed
