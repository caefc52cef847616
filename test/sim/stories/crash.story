# The daemon crashes and starts again: members come back, tables are as before. Files survive.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011 64500
expect as65012 has 192.0.2.0/24
crash
expect as65012 down
after 10s start
expect as65011 up
expect as65012 has 192.0.2.0/24 path 65011 64500
stop
