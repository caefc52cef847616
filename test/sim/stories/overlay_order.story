# A table behind a pipe (t2, t3) and the table of the sessions choose equal routes of one add-path peer alike, also behind
# a second pipe (far) and behind a policy that changes attributes (t3). `show route why` of such a table compares own
# routes with the routes of the other table. Faults: the path identifier decides in some tables, the octets in other
# tables; a worse own route is "best".
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 add-path
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table master4;
ipv4 table t2;
ipv4 table t3;
ipv4 table far;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; ipv4 { add paths rx; }; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; ipv4 { table t2; }; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; ipv4 { table t3; }; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; ipv4 { table far; }; }
protocol pipe p2 { table master4; peer table t2; export all; import none; }
protocol pipe p3 { table master4; peer table t3; import none; export filter {
	if (65011, 1) ~ bgp_community then { bgp_community.delete([(65011, 1)]); bgp_community.add((65011, 7)); } accept; }; }
protocol pipe pf { table master4; peer table far; export all; import none; }
protocol static s1 { ipv4 { table far; }; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
expect as65011 up
expect as65012 up
expect as65013 up
expect as65014 up
as65011 announces 192.0.2.0/24 id 1 path 65011 community (65011,2)
as65011 announces 192.0.2.0/24 id 2 path 65011 community (65011,1)
as65012 announces 192.0.2.0/24 path 65012 64500
settle
expect as65012 has 192.0.2.0/24 path 65011 next hop 10.0.1.1 community (65011,1)
expect as65013 has 192.0.2.0/24 path 65011 next hop 10.0.1.1 community (65011,2)
expect as65014 has 192.0.2.0/24 path 65011 next hop 10.0.1.1 community (65011,1)
command json show route why 192.0.2.0/24 table t2
answer has "protocol":"as65012","from":"10.0.1.2","fate":"lost","step":"as_path_length"
command json show route why 192.0.2.0/24 table master4
answer has "fate":"lost","step":"attributes"
as65012 announces 192.0.2.0/24 path 65012
settle
as65011 withdraws 192.0.2.0/24 id 2
settle
command json show route why 192.0.2.0/24 table t2
answer has "protocol":"as65012","from":"10.0.1.2","fate":"lost","step":"router_id"
as65011 down
settle
command json show route why 192.0.2.0/24 table t2
answer has "protocol":"as65012","from":"10.0.1.2","fate":"best"
stop
