# A drained member: make before break, over a crash of the daemon, and back (RFC 8326).
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
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 198.51.100.0/24 path 65011
as65012 announces 192.0.2.0/24 path 65012 64500
as65012 announces 203.0.113.0/24 path 65012
expect as65013 has 192.0.2.0/24 path 65011
expect as65013 has 203.0.113.0/24
never as65013 lacks 192.0.2.0/24
command drain as65011 for 1h "back at six"
within 3s expect as65013 has 192.0.2.0/24 path 65012 64500
within 3s expect as65013 has 198.51.100.0/24 community (65535,0)
within 3s expect as65011 has 203.0.113.0/24 community (65535,0)
expect answer draining of show protocols as65011
within 30s expect as65011 told 6 2
within 10s expect as65013 lacks 198.51.100.0/24
expect answer drained of show protocols as65011
forget
crash
start
expect as65013 has 192.0.2.0/24 path 65012 64500
expect answer drained of show protocols as65011
command undrain as65011
expect as65013 has 192.0.2.0/24 path 65011
expect as65013 has 198.51.100.0/24
expect as65011 has 203.0.113.0/24
as65011 lost
as65012 lost
as65013 lost
stop
