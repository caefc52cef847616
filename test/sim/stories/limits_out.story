# Export limits with each action: warn sends all routes, block sends 5 of 8, restart and disable end the session of the
# member that would get too many; a session with `restart` returns once there are fewer routes.
link eth0 10.0.0.1/16
member w as 65011 at 10.0.1.1
member b as 65012 at 10.0.1.2
member r as 65013 at 10.0.1.3
member d as 65014 at 10.0.1.4
member src as 65030 at 10.0.3.1
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; error wait time 5, 5; ipv4 { import all; export all; }; }
protocol bgp w from member { neighbor 10.0.1.1 as 65011; ipv4 { export limit 5 action warn; }; }
protocol bgp b from member { neighbor 10.0.1.2 as 65012; ipv4 { export limit 5 action block; }; }
protocol bgp r from member { neighbor 10.0.1.3 as 65013; ipv4 { export limit 5 action restart; }; }
protocol bgp d from member { neighbor 10.0.1.4 as 65014; ipv4 { export limit 5 action disable; }; }
protocol bgp src from member { neighbor 10.0.3.1 as 65030; }
.
start
w up
b up
r up
d up
src up
src fills 5 from 10.1.0.0/24 path 65030
expect w has 10.1.4.0/24
expect b has 10.1.4.0/24
expect r has 10.1.4.0/24
expect d has 10.1.4.0/24
never w down
never b down
never src down
src fills 3 from 10.1.5.0/24 path 65030
within 3s expect r down
expect r told 6
expect d told 6
expect w has 10.1.7.0/24
expect b has 10.1.4.0/24
within 3s expect b lacks 10.1.5.0/24
src empties 3 from 10.1.5.0/24
expect r up
expect r has 10.1.4.0/24
after 5min expect d down
forget
stop
