# The routes of static protocols are in their ROA table, and behind pipes, before a session judges the first route. Fault:
# sessions judge by a table that is still empty, announce `unknown` in place of `valid`, and judge again a second later;
# a member without ROUTE-REFRESH keeps the wrong judgement. The same holds for a table that `configure` brings together
# with the filter, and for a filter of exported routes.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
as65011 announces 200.0.1.0/24 path 65011 64500
as65011 up
as65012 up
never as65012 has 200.0.1.0/24 community (65000,1)
never as65012 has 200.0.2.0/24 community (65000,1)
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
roa4 table near;
roa4 table far;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import table on; import filter { if roa_check(far, net, bgp_path.last) != ROA_VALID then bgp_community.add((65000, 1)); accept; }; export all; }; }
MEMBERS
protocol static nets { ipv4 { import filter { if roa_check(far, net, 64500) != ROA_VALID then bgp_community.add((65000, 1)); accept; }; }; route 200.0.2.0/24 via 10.0.1.1; }
protocol pipe p2 { table near; peer table far; import none; export all; }
protocol pipe p1 { table r4; peer table near; import none; export all; }
protocol static roas { roa4 { table r4; };
REPEAT 250 route 30.@.0.0/16 max 24 as 64500;
REPEAT 250 route 31.@.0.0/16 max 24 as 64500;
REPEAT 250 route 32.@.0.0/16 max 24 as 64500;
REPEAT 250 route 33.@.0.0/16 max 24 as 64500;
REPEAT 250 route 34.@.0.0/16 max 24 as 64500;
REPEAT 250 route 35.@.0.0/16 max 24 as 64500;
REPEAT 250 route 36.@.0.0/16 max 24 as 64500;
REPEAT 250 route 37.@.0.0/16 max 24 as 64500;
REPEAT 250 route 38.@.0.0/16 max 24 as 64500;
REPEAT 250 route 39.@.0.0/16 max 24 as 64500;
REPEAT 250 route 40.@.0.0/16 max 24 as 64500;
REPEAT 250 route 41.@.0.0/16 max 24 as 64500;
route 200.0.0.0/8 max 24 as 64500; }
.
start
expect as65012 has 200.0.1.0/24 path 65011 64500
expect as65012 has 200.0.2.0/24
never as65012 lacks 200.0.1.0/24
never as65012 down
# another table comes with its routes and with the filter
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r5;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import table on; import filter { if roa_check(r5, net, bgp_path.last) != ROA_VALID then bgp_community.add((65000, 1)); accept; }; export all; }; }
MEMBERS
protocol static roas5 { roa4 { table r5; };
REPEAT 250 route 30.@.0.0/16 max 24 as 64500;
REPEAT 250 route 31.@.0.0/16 max 24 as 64500;
REPEAT 250 route 32.@.0.0/16 max 24 as 64500;
REPEAT 250 route 33.@.0.0/16 max 24 as 64500;
REPEAT 250 route 34.@.0.0/16 max 24 as 64500;
REPEAT 250 route 35.@.0.0/16 max 24 as 64500;
REPEAT 250 route 36.@.0.0/16 max 24 as 64500;
REPEAT 250 route 37.@.0.0/16 max 24 as 64500;
REPEAT 250 route 38.@.0.0/16 max 24 as 64500;
REPEAT 250 route 39.@.0.0/16 max 24 as 64500;
REPEAT 250 route 40.@.0.0/16 max 24 as 64500;
REPEAT 250 route 41.@.0.0/16 max 24 as 64500;
route 200.0.0.0/8 max 24 as 64500; }
.
command configure
settle
# exported routes
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r6;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import table on; import all; export filter { if roa_check(r6, net, bgp_path.last) != ROA_VALID then reject; accept; }; }; }
MEMBERS
protocol static roas6 { roa4 { table r6; };
REPEAT 250 route 30.@.0.0/16 max 24 as 64500;
REPEAT 250 route 31.@.0.0/16 max 24 as 64500;
REPEAT 250 route 32.@.0.0/16 max 24 as 64500;
REPEAT 250 route 33.@.0.0/16 max 24 as 64500;
REPEAT 250 route 34.@.0.0/16 max 24 as 64500;
REPEAT 250 route 35.@.0.0/16 max 24 as 64500;
REPEAT 250 route 36.@.0.0/16 max 24 as 64500;
REPEAT 250 route 37.@.0.0/16 max 24 as 64500;
REPEAT 250 route 38.@.0.0/16 max 24 as 64500;
REPEAT 250 route 39.@.0.0/16 max 24 as 64500;
REPEAT 250 route 40.@.0.0/16 max 24 as 64500;
REPEAT 250 route 41.@.0.0/16 max 24 as 64500;
route 200.0.0.0/8 max 24 as 64500; }
.
command configure
settle
forget
stop
