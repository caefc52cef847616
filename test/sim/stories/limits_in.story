# Import and receive limits with each action: warn takes all routes, block takes 5 of 8, restart and disable end the
# session with Cease 6/1; a session with `restart` returns once the member has fewer routes.
link eth0 10.0.0.1/16
member iw as 65011 at 10.0.1.1
member ib as 65012 at 10.0.1.2
member ir as 65013 at 10.0.1.3
member id as 65014 at 10.0.1.4
member rw as 65021 at 10.0.2.1
member rb as 65022 at 10.0.2.2
member rr as 65023 at 10.0.2.3
member rd as 65024 at 10.0.2.4
member see as 65030 at 10.0.3.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; error wait time 5, 5; ipv4 { import all; export all; }; }
protocol bgp iw from member { neighbor 10.0.1.1 as 65011; ipv4 { import limit 5 action warn; }; }
protocol bgp ib from member { neighbor 10.0.1.2 as 65012; ipv4 { import limit 5 action block; }; }
protocol bgp ir from member { neighbor 10.0.1.3 as 65013; ipv4 { import limit 5 action restart; }; }
protocol bgp id from member { neighbor 10.0.1.4 as 65014; ipv4 { import limit 5 action disable; }; }
protocol bgp rw from member { neighbor 10.0.2.1 as 65021; ipv4 { receive limit 5 action warn; }; }
protocol bgp rb from member { neighbor 10.0.2.2 as 65022; ipv4 { receive limit 5 action block; }; }
protocol bgp rr from member { neighbor 10.0.2.3 as 65023; ipv4 { receive limit 5 action restart; }; }
protocol bgp rd from member { neighbor 10.0.2.4 as 65024; ipv4 { receive limit 5 action disable; }; }
protocol bgp see from member { neighbor 10.0.3.1 as 65030; }
.
start
iw up
ib up
ir up
id up
rw up
rb up
rr up
rd up
see up
iw fills 5 from 10.1.0.0/24 path 65011
ib fills 5 from 10.2.0.0/24 path 65012
ir fills 5 from 10.3.0.0/24 path 65013
id fills 5 from 10.4.0.0/24 path 65014
rw fills 5 from 10.5.0.0/24 path 65021
rb fills 5 from 10.6.0.0/24 path 65022
rr fills 5 from 10.7.0.0/24 path 65023
rd fills 5 from 10.8.0.0/24 path 65024
repeat 8
expect see has 10.@.4.0/24
.
settle
never iw down
never ib down
never rw down
never rb down
never see down
iw fills 3 from 10.1.5.0/24 path 65011
ib fills 3 from 10.2.5.0/24 path 65012
rw fills 3 from 10.5.5.0/24 path 65021
rb fills 3 from 10.6.5.0/24 path 65022
expect see has 10.1.7.0/24
expect see has 10.5.7.0/24
expect see has 10.2.4.0/24
expect see has 10.6.4.0/24
expect see lacks 10.2.5.0/24
expect see lacks 10.6.7.0/24
ir fills 3 from 10.3.5.0/24 path 65013
within 3s expect ir told 6 1
rr fills 3 from 10.7.5.0/24 path 65023
within 3s expect rr told 6 1
id fills 3 from 10.4.5.0/24 path 65014
within 3s expect id told 6 1
rd fills 3 from 10.8.5.0/24 path 65024
within 3s expect rd told 6 1
within 3s expect see lacks 10.4.0.0/24
within 3s expect see lacks 10.8.0.0/24
ir empties 3 from 10.3.5.0/24
rr empties 3 from 10.7.5.0/24
expect ir up
expect rr up
expect see has 10.3.4.0/24
expect see has 10.7.4.0/24
after 5min expect id down
expect rd down
forget
stop
