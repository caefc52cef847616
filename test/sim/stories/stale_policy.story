# Stale routes of a member that restarts follow a changed import filter at once.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import keep filtered; import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 198.51.100.0/24 path 65011
expect as65012 has 192.0.2.0/24
as65011 lost
after 5s expect as65012 has 192.0.2.0/24
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import keep filtered; import filter { if net = 192.0.2.0/24 then reject; bgp_community.add((65000,77)); accept; }; export all; }; }
MEMBERS
.
command configure
within 2s expect as65012 has 198.51.100.0/24 community (65000,77)
within 2s expect as65012 lacks 192.0.2.0/24
after 1s as65011 up
expect as65012 has 198.51.100.0/24
stop
