# The oracle judges the file in force while `configure timeout` waits, behind the time, after `configure undo` and after
# `configure confirm`.
link eth0 10.0.0.1/16
member m as 65011 at 10.0.1.1
member see as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
m up
see up
m announces 192.0.2.0/24 path 65011
m announces 198.51.100.0/24 path 65011 64500
expect see has 198.51.100.0/24
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import where bgp_path.len < 2; export all; }; }
MEMBERS
.
command configure timeout 60
expect see lacks 198.51.100.0/24
settle
# behind the time
within 90s expect see has 198.51.100.0/24
settle
command configure timeout 60
expect see lacks 198.51.100.0/24
settle
command configure undo
expect see has 198.51.100.0/24
settle
command configure timeout 60
command configure confirm
after 90s settle
command configure undo
expect see has 198.51.100.0/24
settle
stop
