# A file that takes a part of a line gets the rest: no line is lost while the disk has room. A full disk is told once.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
config
router id 10.0.0.1;
log "/sim/log" all;
debug protocols all;
debug commands 2;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
expect as65011 up
as65011 announces 192.0.2.0/24 path 65011
as65011 reset
as65011 reset
settle
command show health
answer has No problems
disk full
as65011 reset
settle
command show health
answer has No space left on device
disk free
stop
