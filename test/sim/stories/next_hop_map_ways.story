# A next hop map together with add-path, `secondary`, an overlay, an export table, a monitoring station, a filter that
# assigns next hops, two threads, and a restart of the daemon (RFC 4724). Fault: one of the ways to a member leaves out the
# translation, or offers a route whose next hop has no entry.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 2001:db8::1:2 to 2001:db8::1 extended-next-hop restarts
member as65014 as 65014 at 2001:db8::1:4 to 2001:db8::1 extended-next-hop restarts add-path
member as65015 as 65015 at 2001:db8::1:5 to 2001:db8::1 extended-next-hop restarts
member as65016 as 65016 at 2001:db8::1:6 to 2001:db8::1 extended-next-hop restarts
member as65024 as 65024 at 10.0.1.24 restarts add-path
member as65025 as 65025 at 10.0.1.25 restarts
member as65026 as 65026 at 10.0.1.26 restarts
station s1 at 10.0.3.1
file /sim/lan.map
10.0.1.1    2001:db8::1:1
10.0.1.2    2001:db8::1:2
10.0.9.9    2001:db8::9:9   # blackhole
.
config
router id 10.0.0.1;
log "/sim/log" all;
threads 2;
graceful restart wait 60;
protocol device {}
protocol bmp b1 { station address ip 10.0.3.1 port 1790; monitoring rib in pre_policy; monitoring rib out pre_policy; monitoring rib out post_policy; connect retry time 5; }
ipv4 table master4 sorted;
ipv4 table t15;
ipv4 table t25;
filter out { if (65535, 666) ~ bgp_community then bgp_next_hop = 10.0.9.9; accept; }
template bgp member { rs client; passive; graceful restart on; next hop map "lan.map"; ipv4 { extended next hop on; import all; export filter out; }; }
template bgp four from member { local 10.0.0.1 as 65000; }
template bgp six from member { local 2001:db8::1 as 65000; }
protocol bgp as65011 from four { neighbor 10.0.1.1 as 65011; }
protocol bgp as65012 from six { neighbor 2001:db8::1:2 as 65012; }
protocol bgp as65014 from six { neighbor 2001:db8::1:4 as 65014; ipv4 { add paths; }; }
protocol bgp as65015 from six { neighbor 2001:db8::1:5 as 65015; ipv4 { table t15; }; }
protocol bgp as65016 from six { neighbor 2001:db8::1:6 as 65016; ipv4 { secondary; export table on; }; }
protocol bgp as65024 from four { neighbor 10.0.1.24 as 65024; ipv4 { add paths; }; }
protocol bgp as65025 from four { neighbor 10.0.1.25 as 65025; ipv4 { table t25; }; }
protocol bgp as65026 from four { neighbor 10.0.1.26 as 65026; ipv4 { secondary; export table on; }; }
protocol pipe p15 { table master4; peer table t15; import all; export all; }
protocol pipe p25 { table master4; peer table t25; import all; export where ! ((65000,25) ~ bgp_community); }
.
start
as65011 up
as65012 up
as65014 up
as65015 up
as65016 up
as65024 up
as65025 up
as65026 up
expect as65011 up
expect as65012 up
expect as65014 up
expect as65015 up
expect as65016 up
expect as65024 up
expect as65025 up
expect as65026 up
as65011 announces 192.0.11.0/24 path 65011
as65012 announces 192.0.12.0/24 path 65012
as65011 announces 192.0.66.0/24 path 65011 community (65535,666)
# the best route of each network has a next hop without an entry
as65011 announces 192.0.1.0/24 path 65011 next hop 10.0.1.77
as65012 announces 192.0.1.0/24 path 65012 64500
as65012 announces 192.0.2.0/24 path 65012 next hop 2001:db8::77
as65011 announces 192.0.2.0/24 path 65011 64500
expect as65014 has 192.0.11.0/24 next hop 2001:db8::1:1
expect as65015 has 192.0.11.0/24 next hop 2001:db8::1:1
expect as65016 has 192.0.11.0/24 next hop 2001:db8::1:1
expect as65024 has 192.0.12.0/24 next hop 10.0.1.2
expect as65025 has 192.0.12.0/24 next hop 10.0.1.2
expect as65026 has 192.0.12.0/24 next hop 10.0.1.2
expect as65016 has 192.0.66.0/24 next hop 2001:db8::9:9
expect as65026 has 192.0.66.0/24 next hop 10.0.9.9
expect station s1 has out-post 10.0.1.25 192.0.12.0/24 next hop 10.0.1.2
expect station s1 has out-post 2001:db8::1:5 192.0.11.0/24 next hop 2001:db8::1:1
expect station s1 has pre 10.0.1.1 192.0.11.0/24 next hop 10.0.1.1
# another route, or none
expect as65014 has 192.0.1.0/24 path 65012 64500 next hop 2001:db8::1:2
expect as65014 lacks 192.0.1.0/24 path 65011
expect as65016 has 192.0.1.0/24 path 65012 64500 next hop 2001:db8::1:2
expect as65015 lacks 192.0.1.0/24
expect as65024 has 192.0.2.0/24 path 65011 64500 next hop 10.0.1.1
expect as65024 lacks 192.0.2.0/24 path 65012
expect as65026 has 192.0.2.0/24 path 65011 64500 next hop 10.0.1.1
expect as65025 lacks 192.0.2.0/24
fresh
# an entry more
file /sim/lan.map
10.0.1.1    2001:db8::1:1
10.0.1.2    2001:db8::1:2
10.0.1.77   2001:db8::77
10.0.9.9    2001:db8::9:8
.
command configure
expect as65014 has 192.0.1.0/24 path 65011 next hop 2001:db8::77
expect as65014 has 192.0.1.0/24 path 65012 64500 next hop 2001:db8::1:2
expect as65015 has 192.0.1.0/24 path 65011 next hop 2001:db8::77
expect as65016 has 192.0.1.0/24 path 65011 next hop 2001:db8::77
expect as65024 has 192.0.2.0/24 path 65012 next hop 10.0.1.77
expect as65025 has 192.0.2.0/24 path 65012 next hop 10.0.1.77
expect as65026 has 192.0.2.0/24 path 65012 next hop 10.0.1.77
expect as65016 has 192.0.66.0/24 next hop 2001:db8::9:8
expect as65026 has 192.0.66.0/24 next hop 10.0.9.9
expect station s1 has out-post 10.0.1.25 192.0.2.0/24 next hop 10.0.1.77
fresh
# the daemon is lost and comes back: no member gets another next hop meanwhile
settle
never as65016 lacks 192.0.1.0/24 next hop 2001:db8::77
never as65016 lacks 192.0.66.0/24 next hop 2001:db8::9:8
never as65025 lacks 192.0.2.0/24 next hop 10.0.1.77
crash
start -R
expect as65011 up
expect as65012 up
expect as65016 up
expect as65025 up
as65011 announces 192.0.3.0/24 path 65011
expect as65016 has 192.0.3.0/24 next hop 2001:db8::1:1
expect as65014 has 192.0.3.0/24 next hop 2001:db8::1:1
expect as65014 has 192.0.1.0/24 path 65011 next hop 2001:db8::77
forget
stop
