# Two static instances have the same network, equally good: the route of the first instance in the file is best, whatever the
# order in which the threads of the instances and of the 8 tables run, at the start and after a restart of an instance.
link eth0 10.0.0.1/16
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
REPEAT 8 ipv4 table t@;
REPEAT 8 protocol static z@ { ipv4 { table t@; import filter { bgp_large_community.add((1,1,1)); accept; }; }; route 10.0.0.0/8 unreachable; }
REPEAT 8 protocol static b@ { ipv4 { table t@; }; route 10.0.0.0/8 blackhole; }
.
start
settle
command show route table all count
answer has 16 of 16 routes
command show route table all primary
answer lacks [b
answer has [z8
command restart "z*"
settle
command show route table all primary
answer lacks [b
command restart all
settle
command show route table all primary
answer lacks [b
answer has [z1
fresh
stop
