# A station that does not read holds up neither members nor another station, and has the present state when the station
# reads again.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
station s1 at 10.0.3.1
station s2 at 10.0.3.2 port 11019
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
protocol bmp b1 { station address ip 10.0.3.1 port 1790; station address ip 10.0.3.2 port 11019; monitoring rib in pre_policy; monitoring rib in post_policy; monitoring rib local; monitoring rib out post_policy; connect retry time 5; tx buffer limit 1; }
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
expect as65011 up
expect as65012 up
expect station s1 has peer 10.0.1.2
expect station s2 has peer 10.0.1.2
never as65011 down
never as65012 down
station s1 stops reading
as65011 announces 192.0.2.0/24 path 65011 64500
expect as65012 has 192.0.2.0/24
expect station s2 has loc-rib 192.0.2.0/24
as65011 fills 20000 from 10.64.0.0/24 path 65011 64500 64501
expect as65012 has 10.142.31.0/24 64501
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 1
expect as65012 has 10.142.31.0/24 64501 1
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 2
expect as65012 has 10.142.31.0/24 64501 2
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 3
expect as65012 has 10.142.31.0/24 64501 3
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 4
expect as65012 has 10.142.31.0/24 64501 4
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 5
expect as65012 has 10.142.31.0/24 64501 5
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 6
expect as65012 has 10.142.31.0/24 64501 6
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 7
expect as65012 has 10.142.31.0/24 64501 7
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 8
expect as65012 has 10.142.31.0/24 64501 8
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 9
expect as65012 has 10.142.31.0/24 64501 9
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 10
expect as65012 has 10.142.31.0/24 64501 10
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 11
expect as65012 has 10.142.31.0/24 64501 11
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 12
expect as65012 has 10.142.31.0/24 64501 12
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 13
expect as65012 has 10.142.31.0/24 64501 13
as65011 fills 20000 from 10.64.0.0/24 path 65011 64501 14
expect as65012 has 10.142.31.0/24 64501 14
as65011 fills 20000 from 10.64.0.0/24 path 65011 64502
expect as65012 has 10.142.31.0/24 64502
expect station s2 has post 10.0.1.1 10.142.31.0/24 64502
as65011 withdraws 192.0.2.0/24
as65011 announces 198.51.100.0/24 path 65011 64501
within 10s expect as65012 has 198.51.100.0/24
within 10s expect station s2 has loc-rib 198.51.100.0/24
expect as65012 lacks 192.0.2.0/24
station s1 reads
expect station s1 has loc-rib 198.51.100.0/24
expect station s1 has pre 10.0.1.1 198.51.100.0/24
expect station s1 has post 10.0.1.1 198.51.100.0/24
expect station s1 has out-post 10.0.1.2 198.51.100.0/24
expect station s1 has pre 10.0.1.1 10.142.31.0/24 64502
expect station s1 has out-post 10.0.1.2 10.142.31.0/24 64502
expect station s1 lacks pre 10.0.1.1 192.0.2.0/24
expect station s1 lacks loc-rib 192.0.2.0/24
expect station s1 lacks post 10.0.1.1 192.0.2.0/24
expect station s1 lacks out-post 10.0.1.2 192.0.2.0/24
expect station s1 has post 10.0.1.1 10.142.31.0/24 64502
forget
stop
