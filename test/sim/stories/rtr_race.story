# Routes that are on the way to their table when a ROA comes are judged again: the index waits until the decisions of
# each session are in the table, and then looks for routes that the ROA concerns. Fault: the index looks at once, and a
# route that was judged by the old ROAs stays. Four members change routes while the ROA comes.
link eth0 10.0.0.1/16
member as65009 as 65009 at 10.0.2.9
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4
cache rtr1 at 10.0.3.1
cache rtr1 adds roa 198.51.100.0/24 max 24 as 64500
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
roa4 table r4;
protocol rpki v1 { roa4 { table r4; }; remote 10.0.3.1; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import keep filtered on; import filter { if roa_check(r4, net, bgp_path.last) = ROA_INVALID then reject; accept; }; export all; }; }
MEMBERS
.
start
expect cache rtr1 connected
as65009 up
as65011 up
as65012 up
as65013 up
as65014 up
expect as65011 up
expect as65012 up
expect as65013 up
expect as65014 up
repeat 100
cache rtr1 adds roa 20.@.0.0/16 max 24 as 64500
as65011 fills 8 from 20.@.0.0/24 path 65011 64501
as65012 fills 8 from 20.@.8.0/24 path 65012 64502
after 1ms as65013 fills 8 from 20.@.16.0/24 path 65013 64503
as65014 fills 8 from 20.@.24.0/24 path 65014 64504
as65011 fills 8 from 20.@.32.0/24 path 65011 64501
as65012 fills 8 from 20.@.40.0/24 path 65012 64502
after 1ms as65013 fills 8 from 20.@.48.0/24 path 65013 64503
as65014 fills 8 from 20.@.56.0/24 path 65014 64504
as65011 fills 8 from 20.@.64.0/24 path 65011 64501
as65012 fills 8 from 20.@.72.0/24 path 65012 64502
after 1ms as65013 fills 8 from 20.@.80.0/24 path 65013 64503
as65014 fills 8 from 20.@.88.0/24 path 65014 64504
settle
command show route in 20.@.0.0/16 count
answer has 0 of
.
stop
