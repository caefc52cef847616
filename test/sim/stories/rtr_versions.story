# A validator refuses version 2, then version 1: the daemon goes on with a lower version each time. After a software update
# the validator speaks version 2, and the daemon asks in version 2 again.
link eth0 10.0.0.1/16
cache rtr1 at 10.0.2.1
cache rtr1 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr1 adds aspa 64500 providers 64501 64502
cache rtr1 refuses above version 0
cache rtr2 at 10.0.2.2
cache rtr2 adds roa 192.0.2.0/24 max 24 as 64500
cache rtr2 speaks version 1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
aspa table as1;
protocol rpki v1 { roa4 { table r4; }; aspa { table as1; }; remote 10.0.2.1; retry keep 10; }
protocol rpki v2 { roa4 { table r4; }; aspa { table as1; }; remote 10.0.2.2; retry keep 10; }
.
start
expect cache rtr1 asked version 0
expect cache rtr2 connected
settle
command show protocols all v1
answer has Protocol version: 0
answer has Established
command show protocols all v2
answer has Protocol version: 1
command show route table as1
answer lacks 64500
cache rtr1 speaks version 2
cache rtr1 restarts
cache rtr2 speaks version 2
cache rtr2 restarts
expect cache rtr1 asked version 2
expect cache rtr2 asked version 2
settle
command show protocols all v1
answer has Protocol version: 2
command show protocols all v2
answer has Protocol version: 2
command show route table as1
answer has 64500
cache rtr1 refuses above version 1
cache rtr1 restarts
expect cache rtr1 asked version 1
settle
command show protocols all v1
answer has Protocol version: 1
answer has Established
command show route table as1
answer lacks 64500
stop
