# Stale routes of a member that restarts go when the link to the member goes down: the forwarding state of the member is out
# of reach (RFC 4724, 4.2). A link that others use changes nothing for the others. Fault: after the loss of the session the daemon
# forgets the interface of the session, and the stale routes stay until the restart time is over.
link eth0 10.9.0.1/24
link eth1 10.8.0.1/24
member as65011 as 65011 at 10.8.0.11 to 10.8.0.1 restarts
member as65012 as 65012 at 10.9.0.12 to 10.9.0.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { rs client; passive; graceful restart on; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { local 10.8.0.1 as 65000; neighbor 10.8.0.11 as 65011; }
protocol bgp as65012 from member { local 10.9.0.1 as 65000; neighbor 10.9.0.12 as 65012; }
.
start
as65011 up
as65012 up
as65011 announces 198.51.100.0/24 path 65011
expect as65012 has 198.51.100.0/24
never as65012 down
# the link goes down while the session is up
link eth1 down
within 4s expect as65012 lacks 198.51.100.0/24
link eth1 up
expect as65011 up
expect as65012 has 198.51.100.0/24
# the session is lost, and the routes are stale
as65011 lost
after 10s within 1ms expect as65012 has 198.51.100.0/24
link eth1 down
within 4s expect as65012 lacks 198.51.100.0/24
link eth1 up
as65011 up
expect as65012 has 198.51.100.0/24
fresh
forget
stop
