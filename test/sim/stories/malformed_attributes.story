# A malformed attribute makes the route a withdrawal (RFC 7606), for each attribute: the session stays, and the routes of
# other prefixes stay. A malformed header ends the session with the code of RFC 4271, 6.1.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { local 10.0.0.1 as 65000; rs client; passive; error wait time 5, 5; ipv4 { import all; export all; }; }
MEMBERS
.
start
as65011 up
as65012 up
as65011 fills 7 from 10.1.0.0/24 path 65011
as65011 announces 192.0.2.0/24 path 65011
expect as65012 has 10.1.6.0/24
never as65011 down
never as65012 down
never as65012 lacks 192.0.2.0/24
as65011 announces 10.1.0.0/24 path 65011 wrong origin
expect as65012 lacks 10.1.0.0/24
as65011 announces 10.1.1.0/24 path 65011 wrong flags
expect as65012 lacks 10.1.1.0/24
as65011 announces 10.1.2.0/24 wrong path
expect as65012 lacks 10.1.2.0/24
as65011 announces 10.1.3.0/24 path 65011 wrong med
expect as65012 lacks 10.1.3.0/24
as65011 announces 10.1.4.0/24 path 65011 wrong community
expect as65012 lacks 10.1.4.0/24
as65011 announces 10.1.5.0/24 path 65011 wrong large
expect as65012 lacks 10.1.5.0/24
as65011 announces 10.1.6.0/24 path 65011 wrong otc
expect as65012 lacks 10.1.6.0/24
as65011 announces 10.1.0.0/24 path 65011 64500
expect as65012 has 10.1.0.0/24 path 65011 64500
fresh
forget
never as65012 down
# no marker; a length of 18 octets; a type that nobody knows; a KEEPALIVE with a body
as65011 sends 00ffffffffffffffffffffffffffffff 0013 04
within 5s expect as65011 told 1 1
expect as65011 up
as65011 sends ffffffffffffffffffffffffffffffff 0012 04
within 5s expect as65011 told 1 2
expect as65011 up
as65011 sends ffffffffffffffffffffffffffffffff 0013 09
within 5s expect as65011 told 1 3
expect as65011 up
as65011 sends ffffffffffffffffffffffffffffffff 0014 04 00
within 5s expect as65011 told 1 2
expect as65011 up
expect as65012 has 192.0.2.0/24
forget
stop
