# The kernel's side of routes: a change that the kernel denies, a route that somebody removes, lost messages (ENOBUFS), a
# route that the kernel refuses. Each route is in the kernel in the end, and no session notices.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol kernel { ipv4 { export all; }; scan time 20; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
expect as65011 up
never as65011 down
as65011 announces 192.0.2.0/24 path 65011
expect kernel has 192.0.2.0/24 via 10.0.1.1
kernel denies
as65011 announces 198.51.100.0/24 path 65011
expect log Not permitted to change
expect kernel lacks 198.51.100.0/24
kernel allows
within 60s expect kernel has 198.51.100.0/24
kernel refuses 203.0.113.0/24
as65011 announces 203.0.113.0/24 path 65011
expect log 203.0.113.0/24
kernel takes 203.0.113.0/24
within 60s expect kernel has 203.0.113.0/24
kernel counts anew
kernel removes 192.0.2.0/24 protocol 12 metric 32
kernel overruns
expect kernel saw scan
within 60s expect kernel has 192.0.2.0/24
forget
stop
within 1s expect kernel lacks 192.0.2.0/24
