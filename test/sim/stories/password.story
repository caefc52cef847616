# A member with a wrong TCP MD5 password never comes up; a corrected password helps without a restart of others.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 password good
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; password "bad"; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; }
.
start
as65011 up
as65012 up
expect as65012 up
after 60s expect as65011 down
never as65012 down
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
MEMBERS
.
command configure
# the member dials again
within 10s expect as65011 up
fresh
forget
stop
