# A client that never reads the answer to `show route all` holds up nobody: members, other clients, `configure`. A slow client gets
# its whole answer. The daemon ends in time, and drops who does not read.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
client fast
client slow reads slowly
client mute reads nothing
client deaf reads nothing
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 fills 5000 from 10.64.0.0/24 path 65011 64500
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
expect as65012 has 10.83.135.0/24
never as65011 down
never as65012 down
never client slow closed
client mute sends show route all
client deaf sends show route all
client slow sends show route all
client deaf sends show protocols all
# nobody waits
as65011 announces 198.51.100.0/24 path 65011
within 1s expect as65012 has 198.51.100.0/24
client fast sends show protocols
client fast sends show route for 10.83.135.0/24
within 2s expect client fast answered
expect client fast has 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { bgp_community.add((65000,7)); accept; }; export all; }; }
MEMBERS
.
command configure
expect as65012 has 10.83.135.0/24 community (65000,7)
as65011 empties 2500 from 10.64.0.0/24
expect as65012 lacks 10.64.0.0/24
client fast sends show route count
within 2s expect client fast answered
expect client slow answered
expect client slow has 10.83.135.0/24
never client mute closed
never client deaf closed
after 10min command show status
# one of them reads at last, and has both answers
client deaf reads
expect client deaf answered
expect client deaf has as65012
forget
client mute closes
after 100ms client mute sends show route all
client slow sends show route all
after 1s stop
expect client mute closed
expect client slow closed
