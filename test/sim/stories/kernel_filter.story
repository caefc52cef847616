# A changed export filter of `kernel` changes the routes that are in the kernel.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
config
router id 10.0.0.1;
protocol device {}
protocol kernel { ipv4 { export all; }; scan time 600; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65011 announces 192.0.2.0/24 path 65011
expect kernel has 192.0.2.0/24 via 10.0.1.1
config
router id 10.0.0.1;
protocol device {}
protocol kernel { ipv4 { export filter { gw = 10.0.1.15; accept; }; }; scan time 600; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
within 8s expect kernel has 192.0.2.0/24 via 10.0.1.15
config
router id 10.0.0.1;
protocol device {}
protocol kernel { ipv4 { export filter { dest = RTD_UNREACHABLE; accept; }; }; scan time 600; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
within 8s expect kernel has 192.0.2.0/24 unreachable
config
router id 10.0.0.1;
protocol device {}
protocol kernel { ipv4 { export none; }; scan time 600; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
within 8s expect kernel lacks 192.0.2.0/24
stop
