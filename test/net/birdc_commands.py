# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that test_birdc.py asks of bird2 and of ternd."""

import itertools

# Each of another kind. Some change what the next ones see.
SINGLE = """
show status
show protocols
show protocols all
show protocols p1
show protocols "p*"
show protocols "x*"
show protocols all "s*"
show protocols nosuch
show protocols all p4
show protocols t1
show protocols all all
show symbols
show symbols table
show symbols filter
show symbols function
show symbols protocol
show symbols template
show symbols p1
show symbols ASN
show symbols rsc
show symbols seen
show symbols is_short
show symbols table p1
show route
show route all
show route table master4
show route table t1
show route table t1 all
show route table r4
show route table r4 all
show route table empty4
show route table all
show route table all all
show route table master4 table t1
show route table nosuch
show route table p1
show route 10.1.0.0/16
show route 10.1.0.0/16 all
show route 10.20.1.0/24 all
show route 10.99.0.0/16
show route 10.1.0.0
show route 10.1.2.0/16
show route 10.1.0.0/33
show route for 10.20.1.7
show route for 10.20.1.7 all
show route for 10.20.1.0/25
show route for 172.16.0.1
show route PFX
show route PFX all
show route for PFX
show route for ADR
show route for ADR all
show route in PFX
show route for ASN
show route ASN
show route in ADR
show route ROA
show route ROA table r4
show route in ROA
show route in 10.0.0.0/8
show route in 10.20.0.0/16 all
show route in 172.16.0.0/12
show route in 10.0.0.0/8 count
show route 10.20.1.0/24 count
show route for 10.20.1.7 count
show route for 10.20.1.7 table t1
show route 10.20.0.0/16 max 24 as 65001 table r4
show route 10.20.0.0/16 max 24 as 65009 table r4
show route 10.20.0.0/16 max 8 as 65001 table r4
show route 10.20.0.0/16 max 24 table r4
show route protocol p1
show route protocol p1 all
show route protocol p3
show route protocol s1
show route protocol p4
show route protocol nosuch
show route protocol t1
show route protocol p1 protocol p2
show route protocol p1 table t1
show route protocol p1 count
show route protocol pp
show route protocol pp table t1
show route primary
show route primary protocol p1
show route primary count
show route filtered
show route filtered all
show route filtered protocol p1
show route filtered protocol p1 all
show route all filtered protocol p2
show route filtered count
show route filtered primary
show route filtered export p1
show route filtered table t1
show route export p1
show route export p1 all
show route export p1 count
show route export p4
show route export p5
show route export pp
show route export pp table master4
show route export p1 table t1
show route export nosuch
show route export p1.ipv4
show route export p1.ipv4 all
show route export p1.ipv4 count
show route export p1.ipv6
show route export p1.
show route export p1.ipv4 table master4
show route export p1.ipv4 table t1
show route export pp.main
show route export pp.pri
show route preexport p1
show route preexport p1.ipv4
show route noexport p1
show route noexport p1.ipv4
show route noexport p5
show route noexport pp
show route noexport p1 all
show route exported p1
show route exported p1.ipv4
show route export p1 export p2
show route export p1 protocol p2
show route export p1 10.20.1.0/24
show route export p1 for 10.20.1.1 all
show route export p1 where net.len = 24
show route export table p1.ipv4
show route import table p1.ipv4
show route import table p1.ipv6
show route import table p1
show route import
show route where net.len = 24
show route where net.len = 24 all
show route where nosuch
show route where 5
show route where source = RTS_STATIC
show route where bgp_path ~ [= 65001 * =]
show route where from = 127.0.11.1
show route all where from = 127.0.11.1
show route where net ~ [10.20.0.0/16+]
show route where net ~ NETS
show route where is_short(net.len)
show route where roa_check(r4, net, 65001) = ROA_VALID
show route where net.type = NET_IP4 count
show route count where net.type = NET_IP6
show route filter f_in
show route filter f_in all
show route filter nosuch
show route filter p1
show route filter { if net.len = 16 then accept; reject; }
show route filter { bgp_community.add((1,2)); accept; } all protocol p1
show route where net.len = 24 where net.len = 16
show route all primary table master4 protocol p1 where net.len = 24
show route stats
show route stats protocol p1
show route count
show route count table t1
show route table r4 count
show route table master4 count
show route table all count
show route table empty4 count
show route stats table empty4
show route count protocol p1 table master4
show route for 10.20.1.1 table r4
show route 10.20.1.0/24 table r4
show route nosuch
show route all nosuch
show route for
show route table
show route in
show route protocol
show route where
show route filter
show static
show static s1
show static sr
show static p1
show static nosuch
show interfaces nosuch
show bfd sessions
show bfd sessions p1
show ospf
show ospf neighbors
show rip interfaces
show rip neighbors
show babel neighbors
show babel interfaces
show nosuch
show
nosuch
show status all
show route "text"
eval 1 + 2
eval ASN
eval NETS
eval PAIRS
eval TEXT
eval "a text"
eval 10.0.0.1
eval 10.0.0.0/8
eval 2001:db8::1
eval 2001:db8::/32
eval true
eval (1,2)
eval (1,2,3)
eval (rt,1,2)
eval [1,2,5..9]
eval [10.0.0.0/8, 10.1.0.0/16+]
eval [(1,2),(3,4..5)]
eval [(1,2,3)]
eval [(rt,1,2)]
eval [= 1 * 2 =]
eval [= 1 ? [2,3] =]
eval 10.0.0.1.mask(8)
eval 10.1.0.0/16 ~ NETS
eval 10.1.0.0/16.len
eval is_short(5)
eval is_short(25)
eval +empty+
eval -empty-
eval --empty--
eval ---empty---
eval RTS_BGP
eval ROA_VALID
eval ORIGIN_IGP
eval NET_IP4
eval SCOPE_HOST
eval RTD_UNICAST
eval 5 / 0
eval nosuch
eval 1 +
eval
eval 1 2
eval roa_check(r4, 10.20.0.0/16, 65001)
eval roa_check(r4, 10.20.0.0/16, 65002)
eval roa_check(r4, 11.20.0.0/16, 65002)
eval prepend(+empty+, 5)
eval add(-empty-, (1,2))
eval bgp_path
eval net
eval 'ASN'
eval (65000,1) ~ PAIRS
eval !true
eval 1 = 1
eval 1 ~ [1..3]
eval 0x1f
eval 1:2
eval 10.0.0.1:5
eval defined(1)
eval format(5)
eval format([1,2])
echo all
echo off
echo { debug, trace }
echo { info, remote } 2000
echo
echo nosuch
echo all 255
echo all 256
echo all 65536
echo all 65537
echo off
echo { nosuch }
debug p1 all
debug p1 off
debug p1 { states, routes, filters, interfaces, events, packets }
debug all off
debug "p*" { states }
debug "x*" all
debug nosuch all
debug p1
debug p1 nosuch
debug p1.ipv4 all
debug p1.ipv4 off
debug pp.pri { routes }
debug pp.sec off
debug all.ipv4 all
debug p1.nosuch off
debug all off
mrtdump nosuch all
mrtdump p1
configure check
configure check "nosuch.conf"
configure status
configure confirm
configure undo nosuch
configure nosuch
configure timeout nosuch
configure timeout 0
configure confirm
disable nosuch
disable "x*"
disable p4
enable p1
reload p4
reload nosuch
reload "x*"
reload in s1
reload out s1
reload pp
reload p1 partial
restart p4
graceful
graceful nosuch
down nosuch
restrict nosuch
show protocols 'p1'
show route protocol 'p1' count
show route table 'master4' all where from=127.0.11.1
show route all export 'p1'
show route all noexport 'p1'
show route table 't1' noexport 'pp' all
show route table 'master4' noexport 'pp' protocol 'p1' all
dump
dump nosuch
dump resources
dump sockets
dump events
dump interfaces
dump attributes
dump routes
dump routes all
dump protocols
dump filter all
dump filter
show /* a comment */ status
show status # comment
show route /* one */ count /* two */
show status /* open
"""

# Read only: what there is in each state.
LOOK = """
show protocols
show protocols all
show protocols all p1
show protocols all p3
show route
show route all
show route table t1
show route table all count
show route filtered all
show route export p1 all
show route export p1.ipv4 count
show route noexport p1.ipv4
show route preexport p3.ipv4
show route export p2
show route protocol p1 all
show route for 10.20.1.7 all
show route 10.20.1.0/24
show route count
show route stats protocol p2
show symbols protocol
configure status
"""

# What may stand behind `show route`, one of each row; options come in any order.
WHICH = ("", "10.20.1.0/24", "for 10.20.1.7", "in 10.0.0.0/8", "PFX", "for ADR", "10.99.0.0/16")
WHERE = (
    "",
    "table t1",
    "table all",
    "table empty4",
    "protocol p1",
    "protocol p3",
    "export p1",
    "noexport p1",
    "export p2.ipv4",
    "preexport p2",
    "filtered",
)
HOW = ("", "all", "primary", "count", "where net.len = 24", "stats", "filter f_out")


def products():
    for which, where, how in itertools.product(WHICH, WHERE, HOW):
        yield " ".join(x for x in ("show route", which, where, how) if x)
    for where, how in itertools.product(WHERE, HOW):
        yield " ".join(x for x in ("show route", how, where) if x and not how.startswith(("where", "filter")))
    for p in ("", "p1", "p2", "p3", "p4", "p5", "pp", "s1", "device1", '"p*"', '"*"', '"?1"'):
        yield ("show protocols " + p).strip()
        yield ("show protocols all " + p).strip()


def lines(text):
    return text.strip("\n").split("\n")


def whole(step=1):
    """All of them, each once, those of SINGLE last: they change something. @step: of the products each so many-th."""
    seen = list(dict.fromkeys(itertools.chain(lines(LOOK), itertools.islice(products(), 0, None, step))))
    return [c for c in seen if c not in lines(SINGLE)] + lines(SINGLE)
