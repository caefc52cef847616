# Both validators vanish. Their data stays until the expire interval is over; then nothing is invalid any more. A validator
# that returns has its data in force again.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
cache rtr1 at 10.0.2.1
cache rtr2 at 10.0.2.2 port 8282 version 1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr2 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr2 adds roa 198.51.100.0/24 max 24 as 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
template rpki validator { roa4 { table r4; }; retry keep 60; refresh keep 300; expire keep 900; }
protocol rpki v1 from validator { remote 10.0.2.1; }
protocol rpki v2 from validator { remote 10.0.2.2 port 8282; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
expect cache rtr1 connected
expect cache rtr2 connected
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011 64666
as65011 announces 198.51.100.0/24 path 65011 64666
as65011 announces 203.0.113.0/24 path 65011 64666
expect as65012 has 203.0.113.0/24
expect as65012 lacks 192.0.2.0/24
expect as65012 lacks 198.51.100.0/24
# one of two: what both said still holds
cache rtr2 stops
after 20min expect as65012 has 198.51.100.0/24
expect as65012 lacks 192.0.2.0/24
cache rtr2 starts
expect as65012 lacks 198.51.100.0/24
never as65012 down
never as65012 has 192.0.2.0/24
cache rtr1 stops
cut 10.0.2.2
after 14min expect as65012 up
forget
# 15 minutes since the last data
within 63s expect as65012 has 192.0.2.0/24
within 1s expect as65012 has 198.51.100.0/24
command show protocols all v1
answer has Expire timer    : ---
cache rtr1 starts
mend 10.0.2.2
expect cache rtr1 connected
expect as65012 lacks 192.0.2.0/24
expect as65012 lacks 198.51.100.0/24
stop
