# The daemon looks up the name of a validator at each attempt to connect, and tries all addresses of the name. An unknown
# name is a reason in `show protocols`, and no session waits for the look-up.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
cache v at 10.0.2.1
cache v adds roa 192.0.2.0/24 max 24 as 64500
name validator.example is 10.0.2.9
name validator.example is 10.0.2.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote "validator.example"; retry keep 5; }
protocol rpki v2 { roa4 { table r4; }; remote "unknown.example"; retry keep 5; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
expect as65011 up
expect as65012 up
expect cache v asked reset
as65011 announces 192.0.2.0/24 path 65011 64501
as65011 announces 198.51.100.0/24 path 65011 64500
expect as65012 has 198.51.100.0/24
expect as65012 lacks 192.0.2.0/24
command show protocols all v2
answer has Name or service not known
stop
