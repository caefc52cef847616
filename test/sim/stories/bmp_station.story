# A station is told of sessions, of routes before and after policy, of what is sent, and of the Loc-RIB; End-of-RIB after
# policy comes also for a session that comes up later (RFC 7854, 5). The station restarts and is told everything anew.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
station s1 at 10.0.3.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bmp b1 { station address ip 10.0.3.1 port 1790; monitoring rib in pre_policy; monitoring rib in post_policy; monitoring rib local; monitoring rib out pre_policy; monitoring rib out post_policy; stats interval 60; connect retry time 5; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { if net = 203.0.113.0/24 then reject; bgp_community.add((65000,1)); accept; }; export filter { if net = 198.51.100.0/24 then reject; accept; }; }; }
MEMBERS
.
start
expect station s1 connected
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011 64500
as65011 announces 198.51.100.0/24 path 65011
as65011 announces 203.0.113.0/24 path 65011
expect as65012 has 192.0.2.0/24
expect station s1 has pre 10.0.1.1 192.0.2.0/24 path 65011 64500
expect station s1 has pre 10.0.1.1 203.0.113.0/24
expect station s1 has post 10.0.1.1 192.0.2.0/24 community (65000,1)
expect station s1 lacks post 10.0.1.1 203.0.113.0/24
expect station s1 lacks pre 10.0.1.1 192.0.2.0/24 community
expect station s1 has loc-rib 198.51.100.0/24
expect station s1 has out-pre 10.0.1.2 198.51.100.0/24
expect station s1 has out-post 10.0.1.2 192.0.2.0/24
expect station s1 lacks out-post 10.0.1.2 198.51.100.0/24
# a session that comes up later; its peer has sent nothing that ends the RIB yet
as65013 announces 100.64.0.0/24 path 65013
as65013 announces 100.64.1.0/24 path 65013
as65013 up
expect station s1 has post 10.0.1.3 100.64.1.0/24
expect station s1 lacks end post 10.0.1.3
as65013 sends ffffffffffffffffffffffffffffffff 0017 02 00000000
expect station s1 has end pre 10.0.1.3
expect station s1 has end post 10.0.1.3
expect station s1 has end out-post 10.0.1.2
expect station s1 has end loc-rib
expect station s1 told statistics
# a session goes: what is sent of it goes too
as65013 down
expect station s1 told down 10.0.1.3 3
expect station s1 lacks loc-rib 100.64.0.0/24
expect station s1 lacks peer 10.0.1.3
# the station restarts: the present state, once
as65011 withdraws 198.51.100.0/24
station s1 restarts
as65011 announces 192.0.2.0/24 path 65011 64501
expect station s1 has loc-rib 192.0.2.0/24 path 65011 64501
expect station s1 has pre 10.0.1.1 192.0.2.0/24 path 65011 64501
expect station s1 has out-post 10.0.1.2 192.0.2.0/24 64501
expect station s1 lacks pre 10.0.1.1 198.51.100.0/24
expect station s1 lacks loc-rib 198.51.100.0/24
expect station s1 has end pre 10.0.1.1
expect station s1 has end post 10.0.1.1
stop
expect station s1 told termination
