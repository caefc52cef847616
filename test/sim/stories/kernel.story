# Routes go to the kernel: a changed route is replaced by one message, a refused route shows `!` and is tried again, what others
# have there stays, and lost messages lead to a scan.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 10.0.1.2 restarts
kernel adds 100.64.0.0/24 via 10.0.9.9 metric 32
kernel adds 100.65.0.0/24 via 10.0.9.9 metric 32 protocol 12
config
router id 10.0.0.1;
log "/sim/log" all;
graceful restart wait 60;
protocol device {}
ipv4 table learned;
protocol kernel k1 { scan time 60; graceful restart on; ipv4 { import none; export all; }; }
protocol kernel k2 { kernel table 100; scan time 0; learn; ipv4 { table learned; import all; export none; }; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 announces 203.0.113.0/24 path 65011
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 100.64.0.0/24 path 65011
as65012 announces 203.0.113.0/24 path 65012 65012 65012
expect kernel has 203.0.113.0/24 via 10.0.1.1 dev eth0 metric 32 protocol 12
expect kernel has 192.0.2.0/24 via 10.0.1.1
# what another run has left goes; what somebody else has stays, and ours is not there
expect kernel lacks 100.65.0.0/24
expect kernel has 100.64.0.0/24 via 10.0.9.9
expect kernel lacks 100.64.0.0/24 via 10.0.1.1
command show route for 100.64.0.0/24
answer has !
command show route for 192.0.2.0/24
answer has *
# a changed route
kernel counts anew
never kernel lacks 203.0.113.0/24
never kernel saw removal
never kernel saw addition
as65011 withdraws 203.0.113.0/24
within 2s expect kernel has 203.0.113.0/24 via 10.0.1.2
expect kernel saw replacement
as65011 announces 203.0.113.0/24 path 65011
within 2s expect kernel has 203.0.113.0/24 via 10.0.1.1
forget
# the kernel refuses a route, and takes the route later
kernel refuses 198.51.100.0/24
as65011 announces 198.51.100.0/24 path 65011
settle
command show route for 198.51.100.0/24
answer has !
expect as65012 has 198.51.100.0/24
kernel takes 198.51.100.0/24
within 65s expect kernel has 198.51.100.0/24 via 10.0.1.1
settle
command show route for 198.51.100.0/24
answer has *
answer lacks !
# a refused change: the old route stays
kernel refuses 203.0.113.0/24
as65011 withdraws 203.0.113.0/24
settle
expect kernel has 203.0.113.0/24 via 10.0.1.1
kernel takes 203.0.113.0/24
within 65s expect kernel has 203.0.113.0/24 via 10.0.1.2
# somebody removes and changes routes of ours: the next scan mends
kernel removes 192.0.2.0/24 metric 32
within 65s expect kernel has 192.0.2.0/24 via 10.0.1.1
# routes of others are learned as they come; a lost message leads to a scan
kernel adds 100.100.0.0/24 via 10.0.8.8 table 100
settle
command show route table learned
answer has 100.100.0.0/24
kernel overruns
kernel counts anew
within 10s expect kernel saw scan
kernel removes 100.100.0.0/24 table 100
kernel adds 100.101.0.0/24 via 10.0.8.8 table 100
settle
command show route table learned
answer lacks 100.100.0.0/24
answer has 100.101.0.0/24
# the daemon crashes and starts with -R: its routes stay, and are taken over by the next life
never kernel lacks 198.51.100.0/24 via 10.0.1.1
crash
as65012 down
after 20s start -R
expect as65011 up
expect kernel lacks 203.0.113.0/24
expect kernel has 198.51.100.0/24 via 10.0.1.1
forget
stop
as65011 down
expect kernel lacks 198.51.100.0/24
expect kernel has 100.64.0.0/24
