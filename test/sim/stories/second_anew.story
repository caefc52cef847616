# A member with `secondary` gets the first route that the export filter accepts. The second route of a network leaves and comes
# again with other communities, next to other networks. Fault: the answer about a route that left decides a later route.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table master4 sorted;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; ipv4 { secondary; export where (0,65013) !~ bgp_community; }; }
.
start
as65011 up
as65012 up
as65013 up
expect as65011 up
expect as65012 up
expect as65013 up
as65011 announces 192.0.2.0/24 path 65011 community (0,65013)
as65012 announces 192.0.2.0/24 path 65012 64500 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64500 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64500
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64501 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64501 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64501
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64502 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64502 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64502
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64503 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64503 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64503
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64504 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64504 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64504
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64505 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64505 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64505
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64506 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64506 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64506
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
as65012 announces 192.0.2.0/24 path 65012 64507 community (0,65013)
settle
expect as65013 lacks 192.0.2.0/24
as65012 withdraws 192.0.2.0/24
settle
as65012 announces 192.0.2.0/24 path 65012 64507 community (1,65013)
settle
expect as65013 has 192.0.2.0/24 path 65012 64507
as65012 withdraws 192.0.2.0/24
settle
expect as65013 lacks 192.0.2.0/24
stop
