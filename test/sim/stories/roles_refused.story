# Roles that do not fit are refused by a Role Mismatch (RFC 9234, 4.2), the lack of a role by `require roles`; a member that
# changes the role comes up.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 role provider
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3 role peer
member as65014 as 65014 at 10.0.1.4 role rs_client
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; local role provider; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; local role peer; require roles; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; local role rs_server; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
expect as65011 told 2 11
expect as65012 told 2 11
expect as65013 told 2 11
# the daemon has no role for this member
expect as65014 up
never as65014 down
# another role of the daemon
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; passive; ipv4 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; local role customer; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; local role peer; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; local role peer; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; }
.
command configure
expect as65011 up
expect as65012 up
expect as65013 up
forget
stop
