# Roles (RFC 9234): the daemon is the route server of two members, the customer of one member and the peer of another. The
# daemon adds OTC in both directions and refuses routes that leak. Each member fails the story when the daemon sends a route
# that leaks, or a route whose OTC is missing.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1 role rs_client
member as65012 as 65012 at 10.0.1.2 role rs_client
member as65013 as 65013 at 10.0.1.3
member as65014 as 65014 at 10.0.1.4 role provider
member as65015 as 65015 at 10.0.1.5 role peer
member as65016 as 65016 at 10.0.1.6 role customer
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; passive; ipv4 { import keep filtered; import all; export all; }; }
protocol bgp as65011 from member { neighbor 10.0.1.1 as 65011; rs client; local role rs_server; require roles; }
protocol bgp as65012 from member { neighbor 10.0.1.2 as 65012; rs client; local role rs_server; }
protocol bgp as65013 from member { neighbor 10.0.1.3 as 65013; }
protocol bgp as65014 from member { neighbor 10.0.1.4 as 65014; local role customer; }
protocol bgp as65015 from member { neighbor 10.0.1.5 as 65015; local role peer; }
protocol bgp as65016 from member { neighbor 10.0.1.6 as 65016; local role provider; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65015 up
as65016 up
expect as65011 up
expect as65012 up
expect as65013 up
expect as65014 up
expect as65015 up
expect as65016 up
never as65011 down
never as65014 down
never as65015 down
# a client's route: with OTC to clients, customers and peers; without OTC to the provider and to a member without a role
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 192.0.2.0/24 otc 65000
expect as65015 has 192.0.2.0/24 otc 65000
expect as65016 has 192.0.2.0/24 otc 65000
expect as65014 has 192.0.2.0/24 path 65000 65011
expect as65013 has 192.0.2.0/24 path 65000 65011
expect as65013 lacks 192.0.2.0/24 otc
# a provider's route without OTC gets the provider's AS as OTC, and reaches neither the peer nor another provider
as65014 announces 198.51.100.0/24 path 65014
expect as65011 has 198.51.100.0/24 otc 65014
expect as65013 has 198.51.100.0/24 otc 65014
expect as65016 has 198.51.100.0/24 otc 65014
expect as65015 lacks 198.51.100.0/24
# a peer's route likewise
as65015 announces 100.64.0.0/24 path 65015
as65015 announces 100.64.1.0/24 path 65015 otc 65015
expect as65012 has 100.64.0.0/24 otc 65015
expect as65012 has 100.64.1.0/24 otc 65015
expect as65014 lacks 100.64.0.0/24
expect as65014 lacks 100.64.1.0/24
# a leak: OTC from a client or a customer; another OTC than the peer's AS from a peer
as65011 announces 203.0.113.0/24 path 65011 otc 65011
as65016 announces 203.0.113.0/24 path 65016 otc 64999
as65015 announces 203.0.113.0/24 path 65015 otc 64999
settle
within 1ms expect as65012 lacks 203.0.113.0/24
within 1ms expect as65013 lacks 203.0.113.0/24
within 1ms expect as65014 lacks 203.0.113.0/24
command show reasons as65011
answer has otc_downstream
command show reasons as65015
answer has otc_mismatch
command show reasons as65016
answer has otc_downstream
# a leak that ends, and a route that becomes a leak
as65011 announces 203.0.113.0/24 path 65011
expect as65012 has 203.0.113.0/24 otc 65000
expect as65014 has 203.0.113.0/24
as65011 announces 203.0.113.0/24 path 65011 otc 65011
expect as65012 lacks 203.0.113.0/24
expect as65014 lacks 203.0.113.0/24
# a member without a role: its OTC stays, and the daemon passes the route on to clients and customers alone
as65013 announces 100.64.2.0/24 path 65013 otc 64998
expect as65012 has 100.64.2.0/24 otc 64998
expect as65016 has 100.64.2.0/24 otc 64998
expect as65014 lacks 100.64.2.0/24
expect as65015 lacks 100.64.2.0/24
fresh
forget
stop
