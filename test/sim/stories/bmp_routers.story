# The daemon is a station: two routers report. A peer that goes down takes its routes along; routes of a router whose
# connection is lost stay for the keep time; a router that is back brings the present state.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
router r1 at 10.0.4.1
router r2 at 10.0.4.2
router r3 at 10.9.9.9
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table seen;
protocol bmp collector { station; listen address 10.0.0.1 port 1790; allow 10.0.0.0/16; keep time 60; ipv4 { table seen; import all; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
router r1 peer 10.1.0.1 up as 64501
router r1 peer 10.1.0.1 announces 192.0.2.0/24 path 64501 64510
router r1 peer 10.1.0.2 up as 64502
router r1 up
router r2 up
router r3 up
# a stranger is refused
expect router r3 lost
router r3 down
expect router r1 connected
expect router r2 connected
router r1 peer 10.1.0.2 announces 198.51.100.0/24 path 64502
router r2 peer 10.2.0.1 up as 64503
router r2 peer 10.2.0.1 announces 203.0.113.0/24 path 64503
settle
command show route table seen
answer has 192.0.2.0/24
answer has r1/10.1.0.1/in-pre
answer has 198.51.100.0/24
answer has r2/10.2.0.1/in-pre
answer has 203.0.113.0/24
# withdrawals and a peer that goes
router r1 peer 10.1.0.2 down
router r2 peer 10.2.0.1 announces 203.0.113.0/24 path 64503 64504
router r2 peer 10.2.0.1 announces 100.64.0.0/24 path 64503
settle
command show route table seen all
answer lacks 198.51.100.0/24
answer has 64503 64504
answer has 100.64.0.0/24
# the connection is lost: routes stay for a minute
router r1 lost
after 50s command show route table seen
answer has 192.0.2.0/24
after 20s command show route table seen
answer lacks 192.0.2.0/24
answer has 203.0.113.0/24
# the connection is lost and comes back: what the router no longer says goes
router r2 peer 10.2.0.1 withdraws 100.64.0.0/24
router r2 restarts
after 10s expect router r2 connected
settle
command show route table seen
answer lacks 100.64.0.0/24
answer has 203.0.113.0/24
router r1 up
expect router r1 connected
settle
command show route table seen
answer has 192.0.2.0/24
# a router that says nonsense loses its connection; the other router stays
router r2 sends 03 00000005 00
expect router r2 lost
expect router r2 connected
router r1 down
settle
command show route table seen
answer has 203.0.113.0/24
expect as65011 up
stop
