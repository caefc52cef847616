# Members with an IPv4 LAN, with an IPv6 LAN alone, and with both (RFC 8950), and a file with the addresses of each router.
# as65011 and as65012 have IPv4 alone; as65014 and as65015 have IPv6 alone; as65013 and as65018 have both. as65016 and
# as65017 stand in no entry: as65016 has IPv4 alone, as65017 IPv6 alone. Fault: a route reaches a member with a next hop
# that the member cannot use, a changed file closes a session, or a route stays away although the file has the entry.
link eth0 10.0.0.1/16 2001:db8::1/64
member as65011 as 65011 at 10.0.1.1
member as65012 as 65012 at 10.0.1.2
member as65013 as 65013 at 10.0.1.3 extended-next-hop
member as65014 as 65014 at 2001:db8::1:4 to 2001:db8::1 extended-next-hop
member as65015 as 65015 at 2001:db8::1:5 to 2001:db8::1 extended-next-hop
member as65016 as 65016 at 10.0.1.6
member as65017 as 65017 at 2001:db8::1:7 to 2001:db8::1 extended-next-hop
member as65018 as 65018 at 10.0.1.8 extended-next-hop
file /sim/lan.map
# router    IPv4 and IPv6
10.0.1.1    2001:db8::1:1
10.0.1.2	2001:db8::1:2   # as65012
10.0.1.3    2001:db8::1:3
10.0.1.4    2001:db8::1:4
10.0.1.5    2001:db8::1:5

# a router of as65012 without a session
10.0.2.2    2001:db8::2:2
.
config
router id 10.0.0.1;
log "/sim/log" all;
protocol device {}
template bgp member { rs client; passive; next hop map "/sim/lan.map"; ipv4 { extended next hop on; import all; export all; }; }
protocol bgp as65011 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.1 as 65011; }
protocol bgp as65012 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.2 as 65012; }
protocol bgp as65013 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.3 as 65013; }
protocol bgp as65014 from member { local 2001:db8::1 as 65000; neighbor 2001:db8::1:4 as 65014; }
protocol bgp as65015 from member { local 2001:db8::1 as 65000; neighbor 2001:db8::1:5 as 65015; }
protocol bgp as65016 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.6 as 65016; }
protocol bgp as65018 from member { local 10.0.0.1 as 65000; neighbor 10.0.1.8 as 65018; }
protocol bgp as65017 from member { local 2001:db8::1 as 65000; neighbor 2001:db8::1:7 as 65017; }
.
start
as65011 up
as65012 up
as65013 up
as65014 up
as65015 up
as65016 up
as65017 up
as65018 up
expect as65018 up
expect as65011 up
expect as65012 up
expect as65013 up
expect as65014 up
expect as65015 up
expect as65016 up
expect as65017 up
never as65011 down
never as65012 down
never as65013 down
never as65014 down
never as65015 down
never as65016 down
never as65017 down
never as65018 down
as65011 announces 192.0.11.0/24 path 65011
as65014 announces 192.0.14.0/24 path 65014
as65016 announces 192.0.16.0/24 path 65016
as65017 announces 192.0.17.0/24 path 65017
# both sides have IPv4, both sides have IPv6: the next hop stays, with or without an entry
expect as65012 has 192.0.11.0/24 next hop 10.0.1.1
expect as65012 has 192.0.16.0/24 next hop 10.0.1.6
expect as65015 has 192.0.14.0/24 next hop 2001:db8::1:4
expect as65015 has 192.0.17.0/24 next hop 2001:db8::1:7
# one side has IPv4, the other side has IPv6
expect as65014 has 192.0.11.0/24 next hop 2001:db8::1:1
expect as65017 has 192.0.11.0/24 next hop 2001:db8::1:1
expect as65011 has 192.0.14.0/24 next hop 10.0.1.4
expect as65016 has 192.0.14.0/24 next hop 10.0.1.4
# both families at the receiver
expect as65013 has 192.0.11.0/24 next hop 10.0.1.1
expect as65013 has 192.0.14.0/24 next hop 2001:db8::1:4
expect as65013 has 192.0.16.0/24 next hop 10.0.1.6
expect as65013 has 192.0.17.0/24 next hop 2001:db8::1:7
# no entry
expect as65014 lacks 192.0.16.0/24
expect as65011 lacks 192.0.17.0/24
expect as65017 lacks 192.0.16.0/24
command show route why 192.0.16.0/24 to as65014
answer has to as65014.ipv4, as65016: not sent, the next hop map has no next hop for the peer
command show route why 192.0.17.0/24 to as65011
answer has not sent, the next hop map has no next hop for the peer
command show route why 192.0.17.0/24 to as65015
answer has to as65015.ipv4, as65017: goes
expect log as65014: 192.0.16.0/24 isn't sent: the next hop map has no entry for the next hop 10.0.1.6
# a next hop of a third party, and a next hop that is the receiver's own router in the other family
as65011 announces 192.0.12.0/24 path 65011 next hop 10.0.2.2
as65011 announces 192.0.13.0/24 path 65011 next hop 10.0.1.5
as65014 announces 192.0.18.0/24 path 65014 next hop 2001:db8::1:3
as65014 announces 192.0.19.0/24 path 65014 next hop 2001:db8::9:9
expect as65014 has 192.0.12.0/24 next hop 2001:db8::2:2
expect as65012 has 192.0.12.0/24 next hop 10.0.2.2
expect as65014 has 192.0.13.0/24 next hop 2001:db8::1:5
expect as65015 lacks 192.0.13.0/24
expect as65011 has 192.0.18.0/24 next hop 10.0.1.3
expect as65018 has 192.0.18.0/24 next hop 2001:db8::1:3
expect as65013 lacks 192.0.18.0/24
expect as65013 has 192.0.19.0/24 next hop 2001:db8::9:9
expect as65011 lacks 192.0.19.0/24
command show route why 192.0.18.0/24 to as65013
answer has the peer itself would be the next hop
# a next hop that changes its family
as65013 announces 192.0.13.0/25 path 65013
expect as65014 has 192.0.13.0/25 next hop 2001:db8::1:3
as65013 announces 192.0.13.0/25 path 65013 next hop 2001:db8::1:3
expect as65014 has 192.0.13.0/25 next hop 2001:db8::1:3
expect as65011 has 192.0.13.0/25 next hop 10.0.1.3
as65013 announces 192.0.13.0/25 path 65013 next hop 2001:db8::77
expect as65011 lacks 192.0.13.0/25
expect as65014 has 192.0.13.0/25 next hop 2001:db8::77
as65013 withdraws 192.0.13.0/25
expect as65014 lacks 192.0.13.0/25
# many routes
as65011 fills 3000 from 10.64.0.0/24 path 65011
expect as65014 has 10.75.183.0/24 next hop 2001:db8::1:1
expect as65015 has 10.75.183.0/24 next hop 2001:db8::1:1
as65014 refreshes
expect as65014 has 10.75.183.0/24 next hop 2001:db8::1:1
fresh
# a changed entry, a new entry, and an entry that goes
file /sim/lan.map
10.0.1.1    2001:db8::1:111
10.0.1.2    2001:db8::1:2
10.0.1.3    2001:db8::1:3
10.0.1.4    2001:db8::1:4
10.0.1.6    2001:db8::1:6
.
command configure
expect as65014 has 192.0.11.0/24 next hop 2001:db8::1:111
expect as65014 has 192.0.16.0/24 next hop 2001:db8::1:6
expect as65014 has 10.75.183.0/24 next hop 2001:db8::1:111
expect as65014 lacks 192.0.12.0/24
expect as65012 has 192.0.12.0/24 next hop 10.0.2.2
expect as65015 lacks 192.0.13.0/24
fresh
# a wrong file: the configuration stays
file /sim/lan.map
10.0.1.1    2001:db8::1:1
10.0.1.2    2001:db8::1:2
10.0.1.3    2001:db8::1:1
.
command configure
answer has lan.map:3:1 a second entry of 2001:db8::1:1; line 1 has the first
expect as65014 has 192.0.11.0/24 next hop 2001:db8::1:111
expect as65014 has 192.0.16.0/24 next hop 2001:db8::1:6
forget
stop
