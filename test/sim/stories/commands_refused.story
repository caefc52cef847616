# Commands with arguments that do not fit, and the text of each refusal. Orders of `show protocols` by counters.
link eth0 10.0.0.1/16
member as65011 as 65011 at 10.0.1.1
config
router id 10.0.0.1;
log "/sim/log" all;
roa4 table r4;
roa6 table r6;
aspa table providers;
protocol device {}
protocol static vrps { roa4 { table r4; }; route 192.0.2.0/24 max 24 as 0; route 192.0.0.0/16 max 16 as 1; }
protocol static s1 { ipv4; route 192.0.2.0/24 blackhole; }
protocol bfd bfd1 { disabled; }
protocol bgp as65011 { local 10.0.0.1 as 65000; neighbor 10.0.1.1 as 65011; ipv4 { import all; export all; }; }
.
start
as65011 up
expect as65011 has 192.0.2.0/24
command show roa check 192.0.2.0/24 as 1
answer has 192.0.2.0/24 AS1: invalid in table r4
answer has for nobody
answer has for shorter prefixes
command show roa check 192.0.2.0/24 as 1 table r4 table r4
answer has Table specified twice
command show roa check 192.0.2.0/24 as x
answer has syntax error, unexpected 'x', expecting a number
command show roa check 192.0.2.0/24 path x
answer has syntax error, unexpected 'x', expecting a number
command show roa check 192.0.2.0/24 as 1 aspa foo
answer has expecting 'table'
command show roa check 192.0.2.0/24 table r4
answer has unexpected end of the command, expecting 'as' or 'path'
command show roa check 192.0.2.0/24 as 1 aspa table providers
answer has A question to an ASPA table needs an AS path
command show roa check 192.0.2.0/24 as 1 table r6
answer has Table r6 isn't of type roa4
command show roa check 192.0.2.0/24 path 1 2 aspa table r4
answer has Table r4 isn't of type aspa
command show roa check 192.0.2.0/24 as 2 path 1
answer has AS2 isn't the last of the path
command configure timeout 9999999999
answer has Timeout must be from 0 to 86400 seconds
command show route 192.0.2.0/24 192.0.3.0/24
answer has Only one prefix expected
command show bfd sessions bfd1
answer has bfd1: Protocol is not up
command show protocols sort filtered
answer has as65011
command show protocols sort exported
answer has as65011
command show protocols sort stale
answer has as65011
