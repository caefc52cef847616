# A validator that restarts has a new session id: a Reset Query follows at once (RFC 8210, 8.4), and what the validator no
# longer has leaves the table.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
cache rtr1 at 10.0.2.1 version 1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr1 adds roa 198.51.100.0/24 max 24 as 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote 10.0.2.1; retry keep 600; refresh keep 3600; expire keep 7200; max version 1; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
expect cache rtr1 asked reset
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011 64500
as65011 announces 198.51.100.0/24 path 65011 64501
as65011 announces 203.0.113.0/24 path 65011 64501
expect as65012 has 192.0.2.0/24
expect as65012 has 203.0.113.0/24
expect as65012 lacks 198.51.100.0/24
# on the same connection: a Serial Notify of another session
cache rtr1 counts anew
cache rtr1 notifies nobody
cache rtr1 adds roa 203.0.113.0/24 max 24 as 64500
cache rtr1 notifies
never cache rtr1 asked serial
cache rtr1 changes session
within 2s expect cache rtr1 asked reset
expect as65012 lacks 203.0.113.0/24
forget
# the connection breaks: the first query names the old session
cache rtr1 counts anew
cache rtr1 restarts
cache rtr1 removes roa 198.51.100.0/24 max 24 as 64500
expect cache rtr1 asked serial
within 500ms expect cache rtr1 asked reset
expect as65012 has 198.51.100.0/24
never as65012 down
expect as65012 lacks 203.0.113.0/24
forget
stop
