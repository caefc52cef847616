# A receive limit counts refused routes if options of the session keep refused routes: `import keep filtered` or
# `import table`. A station that monitors routes before policy changes no count.
link lo 127.0.0.1/8
link eth0 10.0.0.1/16
station b at 10.0.9.1
member kept as 65012 at 10.0.1.2
member table as 65013 at 10.0.1.3
member watched as 65014 at 10.0.1.4
member see as 65030 at 10.0.3.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import where bgp_path.len < 3; export all; receive limit 5 action block; }; }
protocol bgp kept from member { neighbor 10.0.1.2 as 65012; ipv4 { import keep filtered; }; }
protocol bgp table from member { neighbor 10.0.1.3 as 65013; ipv4 { import table; }; }
protocol bgp watched from member { neighbor 10.0.1.4 as 65014; }
protocol bgp see from member { neighbor 10.0.3.1 as 65030; }
protocol bmp b1 { station address ip 10.0.9.1 port 1790; monitoring rib in pre_policy; }
.
start
kept up
table up
watched up
see up
kept fills 4 from 10.2.0.0/24 path 65012 64500 64501
table fills 4 from 10.3.0.0/24 path 65013 64500 64501
watched fills 4 from 10.4.0.0/24 path 65014 64500 64501
settle
kept fills 3 from 10.2.8.0/24 path 65012
table fills 3 from 10.3.8.0/24 path 65013
watched fills 6 from 10.4.8.0/24 path 65014
expect see has 10.2.8.0/24
expect see lacks 10.2.9.0/24
expect see has 10.3.8.0/24
expect see lacks 10.3.9.0/24
expect see has 10.4.12.0/24
expect see lacks 10.4.13.0/24
command show route why 10.3.9.0/24
answer has the receive limit is reached
settle
stop
