# A member comes back without its forwarding state (F bit 0, RFC 4724, 4.2, and RFC 9494, 4.2) while its routes are long-lived
# stale: the stale routes go at once, because the member sends no End-of-RIB. Fault: the daemon reads the F bit of the graceful
# restart capability alone, and keeps the long-lived stale routes until the long-lived stale time is over.
link eth0 10.9.0.1/24
member as65011 as 65011 at 10.9.0.11 to 10.9.0.1 restarts forgets long-lived 3600
member as65012 as 65012 at 10.9.0.12 to 10.9.0.1 restarts long-lived 3600
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member {
	local 10.9.0.1 as 65000; rs client; passive; graceful restart on; long lived graceful restart on;
	ipv4 { import all; export all; };
}
protocol bgp as65011 from member { neighbor 10.9.0.11 as 65011; }
protocol bgp as65012 from member { neighbor 10.9.0.12 as 65012; }
.
start
as65011 up
as65012 up
as65011 announces 198.51.100.0/24 path 65011
as65011 announces 203.0.113.0/24 path 65011
expect as65012 has 198.51.100.0/24
expect as65012 has 203.0.113.0/24
never as65012 down
as65011 lost
# the restart time of 120 s is over: the routes rank last
after 121s within 5s expect as65012 has 198.51.100.0/24 community (65535,6)
as65011 drops 203.0.113.0/24
as65011 up
within 4s expect as65012 lacks 203.0.113.0/24
expect as65012 has 198.51.100.0/24 path 65011
fresh
forget
stop
