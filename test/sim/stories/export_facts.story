# Export filters that read the neighbor of a route. as65013 may have no route of as65012; as65014 gets the first allowed path of
# each network (secondary); t2 lies behind a pipe that refuses long paths. Faults: a mere change of the source concerns no filter;
# the answer of an earlier filter is used after `configure`; a route that the pipe refuses hides the table's own route.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4
member as65015 as 65015 at 10.0.1.5
member as65016 as 65016 at 10.0.1.6
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table master4 sorted;
ipv4 table t2;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; ipv4 { import filter { bgp_path.delete([65011, 65012]); accept; }; }; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; ipv4 { import filter { bgp_path.delete([65011, 65012]); accept; }; }; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; ipv4 { export where from != 10.0.1.2; }; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; ipv4 { secondary; export where from != 10.0.1.1; }; }
protocol bgp as65015 from member { neighbor 10.0.1.5 as 65015; ipv4 { table t2; }; }
protocol bgp as65016 from member { neighbor 10.0.1.6 as 65016; ipv4 { table t2; }; }
protocol pipe p2 { table master4; peer table t2; import none; export where (65011, 1) !~ bgp_community; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65015 up
as65016 up
expect as65015 up
expect as65016 up
# equal attributes of two neighbors: the best route changes in its source alone
as65011 announces 192.0.2.0/24 path 65011 64500 community (65011,2)
as65012 announces 192.0.2.0/24 path 65012 64500 community (65011,2) next hop 10.0.1.1
expect as65013 has 192.0.2.0/24 path 64500
expect as65014 has 192.0.2.0/24 path 64500
as65011 withdraws 192.0.2.0/24
within 3s expect as65013 lacks 192.0.2.0/24
expect as65014 has 192.0.2.0/24 path 64500
as65011 announces 192.0.2.0/24 path 65011 64500 community (65011,2)
within 3s expect as65013 has 192.0.2.0/24 path 64500
as65012 withdraws 192.0.2.0/24
within 3s expect as65014 lacks 192.0.2.0/24
# the pipe refuses the best route of master4: t2 has a route of its own
as65015 announces 198.51.100.0/24 path 65015 64500 64501
expect as65016 has 198.51.100.0/24 path 65015 64500 64501
as65011 announces 198.51.100.0/24 path 65011 64501 community (65011,1)
settle
expect as65016 has 198.51.100.0/24 path 65015 64500 64501
command json show route why 198.51.100.0/24 table t2
answer has "fate":"best"
as65011 announces 198.51.100.0/24 path 65011 64501 community (65011,3)
expect as65016 has 198.51.100.0/24 path 64501
as65011 announces 198.51.100.0/24 path 65011 64501 community (65011,1)
expect as65016 has 198.51.100.0/24 path 65015 64500 64501
# another export filter of the member with `secondary`
as65012 announces 192.0.2.0/24 path 65012 64500 community (65011,2) next hop 10.0.1.1
expect as65014 has 192.0.2.0/24 path 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table master4 sorted;
ipv4 table t2;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; ipv4 { import filter { bgp_path.delete([65011, 65012]); accept; }; }; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; ipv4 { import filter { bgp_path.delete([65011, 65012]); accept; }; }; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; ipv4 { export where from != 10.0.1.2; }; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; ipv4 { secondary; export filter { if from = 10.0.1.2 then reject; bgp_large_community.add((65000, 1, 1)); accept; }; }; }
protocol bgp as65015 from member { neighbor 10.0.1.5 as 65015; ipv4 { table t2; }; }
protocol bgp as65016 from member { neighbor 10.0.1.6 as 65016; ipv4 { table t2; }; }
protocol pipe p2 { table master4; peer table t2; import none; export where (65011, 1) !~ bgp_community; }
.
command configure
within 3s expect as65014 has 192.0.2.0/24 large (65000,1,1)
as65011 withdraws 192.0.2.0/24
within 3s expect as65014 lacks 192.0.2.0/24
stop
