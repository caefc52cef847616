# Each netlink socket loses messages: the sockets of changes, of scans and of news. The daemon says so, compares all
# routes, and no session notices. `reload in` reads the kernel's routes again. A kernel protocol without a channel
# changes nothing.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
kernel adds 100.100.0.0/24 via 10.0.8.8 table 100
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
ipv4 table learned;
protocol kernel k1 { scan time 0; ipv4 { export all; }; }
protocol kernel k2 { kernel table 100; scan time 0; learn; ipv4 { table learned; import all; export none; }; }
protocol kernel idle { kernel table 101; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
expect as65011 up
never as65011 down
as65011 announces 192.0.2.0/24 path 65011
expect kernel has 192.0.2.0/24 via 10.0.1.1
expect answer up of show protocols idle
expect answer 100.100.0.0/24 of show route table learned
# the first loss leads to a scan; the next scan is at least 1 s away, so the second loss meets a change
at 60s kernel counts anew
kernel removes 192.0.2.0/24 metric 32
kernel overruns everybody
within 2s expect kernel saw scan
within 2s expect kernel has 192.0.2.0/24 via 10.0.1.1
kernel counts anew
kernel overruns everybody
as65011 announces 198.51.100.0/24 path 65011
within 5s expect log Routes may not have reached the kernel: No buffer space available
within 10s expect kernel saw scan
expect kernel has 198.51.100.0/24 via 10.0.1.1
at 120s kernel counts anew
command reload in k2
within 2s expect kernel saw scan
command show route table learned
answer has 100.100.0.0/24
command restart idle
expect answer up of show protocols idle
forget
stop
expect kernel lacks 192.0.2.0/24
expect kernel has 100.100.0.0/24
