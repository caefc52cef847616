# ttl security (RFC 5082): a member whose packets arrive with TTL 64 gets no session, over IPv4, IPv6 and as a member of
# a range, and creates no member of the range. The member sends OPEN as soon as the connection is there.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1 ttl 255
member as65012 as 65012 at 10.0.1.2 ttl 64
member as65013 as 65013 at 2001:db8::1:3 ttl 254 ipv6
member as65014 as 65014 at 2001:db8::1:4 ttl 255 ipv6
member as65015 as 65015 at 10.0.5.1 ttl 64
member as65016 as 65016 at 10.0.1.6 ttl 64
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; ttl security on; connect delay time 600; hold time 30; ipv4 { import all; export all; }; }
template bgp member6 { local 2001:db8::1 as 65000; ttl security on; passive; ipv6 { import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; }
protocol bgp as65013 from member6 { neighbor 2001:db8::1:3 as 65013; }
protocol bgp as65014 from member6 { neighbor 2001:db8::1:4 as 65014; }
protocol bgp range from member { neighbor range 10.0.5.0/24 external; dynamic name "dyn"; }
protocol bgp as65016 from member { neighbor 10.0.1.6 as 65016; ttl security off; }
.
start
as65012 up
as65013 up
as65015 up
as65011 up
as65014 up
as65016 up
expect as65011 up
expect as65014 up
expect as65016 up
after 5min expect as65012 down
expect as65013 down
expect as65015 down
command show protocols
answer lacks dyn
# packets of an established session
never as65014 down
never as65016 down
as65011 ttl 254
as65016 ttl 63
within 2min expect as65011 down
as65011 ttl 255
expect as65011 up
forget
log has Connection from 10.0.1.2 refused: the TTL is 64 and must be at least 255 (ttl security)
log has Connection from 2001:db8::1:3 refused: the TTL is 254 and must be at least 255 (ttl security)
log has Connection from 10.0.5.1 refused: the TTL is 64 and must be at least 255 (ttl security)
stop
