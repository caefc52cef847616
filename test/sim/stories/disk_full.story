# A full disk: the answer of an override and `show health` say so, no session ends, and routes change; once the disk has
# room, an override is kept over a crash.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol mrt d1 { table "*"; filename "/sim/%N.mrt"; period 60; }
mrtdump "/sim/messages.mrt";
mrtdump protocols all;
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 fills 100 from 10.64.0.0/24 path 65011
expect as65012 has 10.64.99.0/24
never as65011 down
never as65012 down
disk full
command override add block 10.64.0.0/24 from as65011 for 10min reason "leak"
answer has No space left on device
after 3min command show health
answer has No space left on device
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24
disk free
command override add block 10.64.1.0/24 from as65011 for 10min reason "second leak"
answer lacks No space left on device
expect as65012 lacks 10.64.1.0/24
forget
crash
start
expect as65012 has 10.64.2.0/24
expect as65012 lacks 10.64.1.0/24
expect answer second leak of show overrides
stop
