# A member is replaced by `configure`: another AS at another address under the same name. The old member's routes leave the
# others, the new member's routes come, and nobody else notices.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp port1 from member { neighbor 10.0.1.1 as 65011; }
protocol bgp port2 from member { neighbor 10.0.1.2 as 65012; }
.
start
as65011 up
as65012 up
as65013 up
as65011 announces 192.0.2.0/24 path 65011 64500
as65011 announces 198.51.100.0/24 path 65011
as65013 announces 192.0.2.0/24 path 65013 64500
expect as65012 has 192.0.2.0/24 path 65011
expect as65012 has 198.51.100.0/24
after 10s expect as65013 down
never as65012 down
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp port1 from member { neighbor 10.0.1.3 as 65013; }
protocol bgp port2 from member { neighbor 10.0.1.2 as 65012; }
.
command configure
within 2s expect as65011 down
within 2s expect as65012 lacks 198.51.100.0/24
# the member dials again
within 10s expect as65013 up
within 1s expect as65012 has 192.0.2.0/24 path 65013 64500
after 30s expect as65011 down
as65011 down
fresh
forget
stop
