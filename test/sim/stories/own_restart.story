# The daemon crashes and starts with -R: members with graceful restart keep its routes, see no withdrawal and no worse path, and
# learn what changed meanwhile when all are back (RFC 4724, 4.1).
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 restarts
member as65012 as 65012 at 10.0.1.2 restarts
member as65013 as 65013 at 10.0.1.3 restarts
member as65014 as 65014 at 10.0.1.4
config
router id 10.0.0.1;
log "/sim/log" all;
graceful restart wait 60;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; graceful restart on; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65011 fills 300 from 10.64.0.0/24 path 65011
as65011 announces 192.0.2.0/24 path 65011
as65013 announces 192.0.2.0/24 path 65013 65013 65013
as65011 announces 198.51.100.0/24 path 65011
as65013 announces 203.0.113.0/24 path 65013
expect as65012 has 192.0.2.0/24 path 65011
expect as65012 has 198.51.100.0/24
expect as65012 has 203.0.113.0/24
expect as65012 has 10.65.43.0/24
settle
never as65012 lacks 192.0.2.0/24 path 65011
never as65012 has 192.0.2.0/24 path 65013
never as65012 lacks 203.0.113.0/24
never as65012 lacks 10.64.0.0/24
never as65012 lacks 10.65.43.0/24
crash
expect as65012 down
# while the daemon is away a route goes and a route comes
as65011 withdraws 198.51.100.0/24
as65011 announces 100.64.0.0/24 path 65011
after 8s start -R
expect as65012 up
expect as65012 has 100.64.0.0/24
expect as65012 lacks 198.51.100.0/24
expect as65014 has 192.0.2.0/24 path 65011
# the same by an operator
command graceful restart
ended
expect as65012 down
after 5s start -R
expect as65012 up
settle
forget
# a member that does not come back: the others wait for no longer than `graceful restart wait`
never as65012 lacks 203.0.113.0/24
crash
as65011 lost
after 5s start -R
after 40s expect as65012 has 192.0.2.0/24 path 65011
after 40s within 1s expect as65012 has 192.0.2.0/24 path 65013
expect as65012 lacks 10.64.0.0/24
# a start without -R has kept nothing: what is stale goes
forget
as65011 up
expect as65012 has 192.0.2.0/24 path 65011
crash
as65011 lost
after 5s start
expect as65012 up
expect as65012 has 192.0.2.0/24 path 65013
expect as65012 lacks 10.64.0.0/24
stop
