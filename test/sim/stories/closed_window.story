# A member that does not read stops nobody, and gets the present state when the member reads again.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
expect as65013 up
as65012 stops reading
as65011 announces 192.0.2.0/24 path 65011 64500
as65011 announces 198.51.100.0/24 path 65011 64500
expect as65013 has 198.51.100.0/24
as65011 withdraws 192.0.2.0/24
as65011 announces 198.51.100.0/24 path 65011 64501
expect as65013 has 198.51.100.0/24 path 65011 64501
as65012 reads
expect as65012 has 198.51.100.0/24 path 65011 64501
expect as65012 lacks 192.0.2.0/24
stop
