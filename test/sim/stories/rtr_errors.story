# Answers that no validator should give, and no answer: the data of the last whole answer stays in force, and the daemon is
# in sync when the validator is well again.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
cache rtr1 at 10.0.2.1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr1 has no data
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote 10.0.2.1; retry keep 20; refresh keep 300; expire keep 7200; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
expect cache rtr1 asked reset
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011 64666
as65011 announces 198.51.100.0/24 path 65011 64666
expect as65012 has 192.0.2.0/24
settle
# while a query is under way, the state is Sync-Start
expect answer No-Data of show protocols all v1
# the validator has data now; the daemon asks again
cache rtr1 has data
expect as65012 lacks 192.0.2.0/24
expect as65012 has 198.51.100.0/24
never as65012 has 192.0.2.0/24
never as65012 down
# the difference is not known any more: Cache Reset
cache rtr1 counts anew
cache rtr1 adds roa 198.51.100.0/24 max 24 as 64500
cache rtr1 forgets history
expect cache rtr1 asked serial
expect cache rtr1 asked reset
expect as65012 lacks 198.51.100.0/24
# half an answer, and then nothing
cache rtr1 counts anew
cache rtr1 answers by half
cache rtr1 removes roa 198.51.100.0/24 max 24 as 64500
expect cache rtr1 asked serial
after 100s cache rtr1 answers
expect as65012 has 198.51.100.0/24
# no answer at all
cache rtr1 falls silent
cache rtr1 adds roa 198.51.100.0/24 max 24 as 64500
after 100s cache rtr1 answers
expect as65012 lacks 198.51.100.0/24
# a PDU of version 1 in a session of version 2, a PDU of 7 octets, an Error Report: the daemon connects again
cache rtr1 counts anew
cache rtr1 sends 01 00 0064 0000000c 00000099
expect cache rtr1 told 8
expect cache rtr1 asked reset
cache rtr1 counts anew
cache rtr1 sends 02 00 0064 00000007
expect cache rtr1 told 0
expect cache rtr1 asked reset
cache rtr1 counts anew
cache rtr1 reports 1
expect cache rtr1 asked reset
cache rtr1 removes roa 198.51.100.0/24 max 24 as 64500
expect as65012 has 198.51.100.0/24
forget
stop
