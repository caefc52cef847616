# A leak is blocked at night, over a crash of the daemon, and ends by itself; no member loses its session.
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
as65012 announces 192.0.2.0/24 path 65012 64500
expect as65013 has 192.0.2.0/24 path 65012 64500
as65011 announces 192.0.2.0/24 path 65011
as65011 announces 198.51.100.0/24 path 65011
expect as65013 has 192.0.2.0/24 path 65011
expect as65013 has 198.51.100.0/24
command override add block 192.0.2.0/24 from as65011 for 10min reason "leak"
answer lacks No such file
log lacks State file
within 3s expect as65013 has 192.0.2.0/24 path 65012 64500
never as65013 has 192.0.2.0/24 path 65011
as65011 announces 192.0.2.0/24 path 65011 65011
expect answer leak of show route why 192.0.2.0/24
after 5s expect as65013 has 192.0.2.0/24 path 65012 64500
crash
start
expect as65013 has 192.0.2.0/24 path 65012 64500
expect as65013 has 198.51.100.0/24
expect answer leak of show overrides
after 400s expect as65013 has 198.51.100.0/24
forget
after 300s expect as65013 has 192.0.2.0/24 path 65011 65011
command show overrides
answer lacks leak
stop
