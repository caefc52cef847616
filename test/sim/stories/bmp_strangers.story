# 1,000 connections of strangers to a station cost 10 lines of the log a minute, and then a line with the number of the others. A
# router and a member notice nothing.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
router r1 at 10.0.4.1
router r9 at 10.0.4.9
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table seen;
protocol bmp collector { station; listen address 10.0.0.1 port 1790; ipv4 { table seen; import all; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
expect as65011 up
never as65011 down
never router r1 lost
router r1 peer 10.1.0.1 up as 64501
router r1 peer 10.1.0.1 announces 192.0.2.0/24 path 64501
router r1 up
expect router r1 connected
expect answer 192.0.2.0/24 of show route table seen
router r9 talks nonsense 500
expect router r9 done with nonsense
router r9 talks nonsense 500
router r1 peer 10.1.0.1 announces 198.51.100.0/24 path 64501
within 10s expect answer 198.51.100.0/24 of show route table seen
within 60s expect router r9 done with nonsense
log has the version of BMP isn't 3
log at most 20 the version of BMP isn't 3
within 130s expect log more lines about connections that didn't begin or were refused
expect router r1 connected
forget
stop
