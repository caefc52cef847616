# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations in the style of IXP Manager: one daemon for each address family, a filter and often a
table for each member, refused routes tagged with the reason (AS:1101:reason) and kept.

    ixpm.make(OUT, NAME)     NAME: ixpm4, ixpm6, or ixpm-pipes4 with a table and a pipe for each member

Writes NAME-2.conf and NAME-3.conf, as for BIRD 2 and for BIRD 3, and NAME.json for stimulus.py.
ixpm.large(OUT, N) writes ixpm-large-2.conf and ixpm-large-3.conf with N members, only to be parsed.
"""

import json
import os

import irr

RS_AS = 999
MEMBERS = [  # AS number, last part of the address, whether its routes are checked, limit, password
    (1, 11, True, 1000, None),
    (2, 21, True, 1000, "not so secret"),
    (2, 22, False, 40, None),
    (3, 31, True, 1000, None),
    (131141, 41, True, 1000, None),
    (5, 51, False, 1000, None),
]
BOGONS = {
    4: ["0.0.0.0/8+", "10.0.0.0/8+", "100.64.0.0/10+", "127.0.0.0/8+", "169.254.0.0/16+", "172.16.0.0/12+",
        "192.0.2.0/24+", "192.168.0.0/16+", "198.18.0.0/15+", "224.0.0.0/4+", "240.0.0.0/4+", "0.0.0.0/0-",
        "0.0.0.0/0{25,32}", "0.0.0.0/0{0,7}"],
    6: ["::/0-", "::/0{49,128}", "2001:db8::/32+", "2002::/16+", "fc00::/7+", "fe80::/10+", "ff00::/8+"],
}

HEAD = """
/* %(name)s: made for a test, in the style of a generator. */
log "/var/log/bird.log" all;
log syslog name "bird-%(name)s" all;
timeformat base     iso long;
timeformat log      iso long;
timeformat protocol iso long;
timeformat route    iso long;
router id 192.0.2.2;

define routeserverasn     = %(rs)d;
define routeserveraddress = %(server)s;
define TRANSIT_ASNS       = [ 174, 701, 1299, 2914, 3257, 3320, 3356, 3491,   # the usual ones
                              5511, 6453, 6461, 6762, 6830, 7018 ];
define IXP_LC_FILTERED_BOGON            = ( routeserverasn, 1101, 3  );
define IXP_LC_FILTERED_BOGON_PREFIX     = ( routeserverasn, 1101, 4  );
define IXP_LC_FILTERED_AS_PATH_TOO_LONG = ( routeserverasn, 1101, 5  );
define IXP_LC_FILTERED_FIRST_AS         = ( routeserverasn, 1101, 7  );
define IXP_LC_FILTERED_NEXT_HOP         = ( routeserverasn, 1101, 8  );
define IXP_LC_FILTERED_IRR_PREFIX       = ( routeserverasn, 1101, 9  );
define IXP_LC_FILTERED_IRR_ORIGIN       = ( routeserverasn, 1101, 10 );
define IXP_LC_FILTERED_RPKI_INVALID     = ( routeserverasn, 1101, 13 );
define IXP_LC_FILTERED_TRANSIT          = ( routeserverasn, 1101, 14 );
define IXP_LC_INFO_RPKI_VALID           = ( routeserverasn, 1000, 1  );
define IXP_LC_INFO_RPKI_UNKNOWN         = ( routeserverasn, 1000, 2  );
define IXP_LC_INFO_IRR_VALID            = ( routeserverasn, 1001, 1  );
define IXP_LC_INFO_SAME_AS_NEXT_HOP     = ( routeserverasn, 1001, 1200 );

roa%(fam)d table t_roa;
protocol device { scan time 10; }
protocol static roas { roa%(fam)d { table t_roa; };
%(roas)s
}

function avoid_martians()%(bool)s
prefix set martians;
{
	martians = [
		%(bogons)s
	];
	# This is one of those.
	if net ~ martians then return false;
	return true;
}

function ixp_rpki_check()%(bool)s
{
	if ( roa_check( t_roa, net, bgp_path.last_nonaggregated ) = ROA_VALID ) then {
		bgp_large_community.add( IXP_LC_INFO_RPKI_VALID );
		return true;
	}
	if ( roa_check( t_roa ) = ROA_INVALID ) then {
		bgp_large_community.add( IXP_LC_FILTERED_RPKI_INVALID );
		return false;
	} else
		bgp_large_community.add( IXP_LC_INFO_RPKI_UNKNOWN );
	return true;
}

function filter_has_transit_path()%(bool)s
int set transit_asns;
{
	transit_asns = TRANSIT_ASNS;
	if ( bgp_path ~ transit_asns ) then {
		bgp_large_community.add( IXP_LC_FILTERED_TRANSIT );
		return true;
	}
	return false;
}

/* What every member gets, but for what he asked us not to send. */
function f_export_to( int peerasn )%(bool)s
{
	if ( bgp_large_community ~ [( routeserverasn, 1101, * )] ) then return false;
	if ( routeserverasn, 0, peerasn ) ~ bgp_large_community then return false;
	if ( routeserverasn, 1, peerasn ) ~ bgp_large_community then return true;
	# Of 16 bits, or it has no place in a community.
	if peerasn < 65536 then {
		if ( 0, peerasn ) ~ bgp_community then return false;
		if ( routeserverasn, peerasn ) ~ bgp_community then return true;
	}
	if ( routeserverasn, 0, 0 ) ~ bgp_large_community || ( 0, routeserverasn ) ~ bgp_community then return false;
	return true;
}

function f_prepend( int peerasn )
{
	if ( routeserverasn, 103, peerasn ) ~ bgp_large_community then {
		bgp_path.prepend( bgp_path.first ); bgp_path.prepend( bgp_path.first );
		bgp_path.prepend( bgp_path.first );
	} else if ( routeserverasn, 102, peerasn ) ~ bgp_large_community then {
		bgp_path.prepend( bgp_path.first ); bgp_path.prepend( bgp_path.first );
	} else if ( routeserverasn, 101, peerasn ) ~ bgp_large_community then
		bgp_path.prepend( bgp_path.first );
}

template bgp tb_rsclient {
	local as routeserverasn;
	source address routeserveraddress;
	strict bind yes;
	passive on;
	connect delay time 3;
	rs client;
	interpret communities off;
}
"""

MEMBER = """
########################################################################################
%(tables)s
filter f_import_%(id)s
prefix set allnet;
int set allas;
{
	# Filter private information first.
	bgp_large_community.delete( [( routeserverasn, 1000..1101, * )] );
	bgp_community.delete( [( routeserverasn, 64512..65535 )] );

	if ( ! avoid_martians() ) then {
		bgp_large_community.add( IXP_LC_FILTERED_BOGON_PREFIX );
		accept;
	}
	if ( bgp_path.len < 1 || bgp_path.len > 64 ) then {
		bgp_large_community.add( IXP_LC_FILTERED_AS_PATH_TOO_LONG );
		accept;
	}
	if ( bgp_path.first != %(asn)d ) then {
		bgp_large_community.add( IXP_LC_FILTERED_FIRST_AS );
		accept;
	}
	# The next hop is the member's own address, or another one of the same AS.
	if !( from = bgp_next_hop ) then {
		allas = [ %(asn)d ];
		if ( bgp_next_hop ~ [ %(hops)s ] && bgp_path.first ~ allas ) then
			bgp_large_community.add( IXP_LC_INFO_SAME_AS_NEXT_HOP );
		else {
			bgp_large_community.add( IXP_LC_FILTERED_NEXT_HOP );
			accept;
		}
	}
	if filter_has_transit_path() then accept;
%(irr)s
	if ! ixp_rpki_check() then accept;
	accept;
}

filter f_export_%(id)s
{
	if ! f_export_to( %(asn)d ) then reject;
	f_prepend( %(asn)d );
	bgp_large_community.delete( [( routeserverasn, *, * )] );
	bgp_community.delete( [( 0, * ), ( routeserverasn, * )] );
	accept;
}
%(pipe)s
protocol bgp pb_%(id)s from tb_rsclient {
	description "AS%(asn)d - member %(id)s";
	neighbor %(ip)s as %(asn)d;
	ipv%(fam)d {
		import limit %(limit)d action restart;
		import filter f_import_%(id)s;
		table %(table)s;
		export filter f_export_%(id)s;
	};
%(password)s}
"""

IRR = """	allas = [ %(asns)s ];
	if !( bgp_path.last_nonaggregated ~ allas ) then {
		bgp_large_community.add( IXP_LC_FILTERED_IRR_ORIGIN );
		accept;
	}
	allnet = [ %(nets)s
	];
	if !( net ~ allnet ) then {
		bgp_large_community.add( IXP_LC_FILTERED_IRR_PREFIX );
		accept;
	} else {
		bgp_large_community.add( IXP_LC_INFO_IRR_VALID );
	}
"""

PIPE = """
filter f_master_from_%(id)s
{
	if ( bgp_large_community ~ [( routeserverasn, 1101, * )] ) then reject;
	accept;
}

protocol pipe pp_%(id)s {
	description "%(id)s and the master table";
	table master%(fam)d;
	peer table %(table)s;
	import filter f_master_from_%(id)s;
	export where f_export_to( %(asn)d );
}
"""


def pattern(entry):
    if entry["exact"]:
        return entry["prefix"]
    return "%s{%d,%d}" % (entry["prefix"], entry["greater-equal"], entry["less-equal"])


def address(last, family):
    return "192.0.%d.%d" % (2 + last // 250, last % 250) if family == 4 else "2001:db8:1:1::%d" % last


def text(name, family, pipes, version, members=MEMBERS):
    roas = irr.roas(sorted({m[0] for m in members}))
    out = HEAD % {
        "name": name, "rs": RS_AS, "server": "192.0.2.2" if family == 4 else "2001:db8:1:1::2", "fam": family,
        "bool": " -> bool" if version == "3" else "",
        "bogons": ",\n\t\t".join(BOGONS[family]),
        "roas": "\n".join("\troute %(prefix)s max %(maxLength)s as %(n)s;" % dict(r, n=r["asn"][2:])
                          for r in roas if (":" in r["prefix"]) == (family == 6))}
    for asn, last, checked, limit, password in members:
        ident = "as%d_%d" % (asn, last)
        table = "t_%s" % ident if pipes else "master%d" % family
        v = {"id": ident, "asn": asn, "fam": family, "ip": address(last, family), "limit": limit, "table": table,
             "hops": ", ".join(address(m[1], family) for m in members if m[0] == asn),
             "tables": "ipv%d table %s;" % (family, table) if pipes else "",
             "password": "\tpassword \"%s\";\n%s" % (
                 password, "\tauthentication md5;\n" if version == "3" else "") if password else ""}
        found = irr.prefixes("AS-X%d" % (asn % 100), family)
        v["irr"] = IRR % {"asns": ", ".join(map(str, irr.asns("AS%d" % asn))),
                          "nets": ",\n\t\t".join(pattern(e) for e in found)} if checked else "\t# not checked\n"
        v["pipe"] = PIPE % v if pipes else ""
        out += MEMBER % v
    return out


def large(out, count):
    members = [(131072 + i, 1 + i, True, 100000, None) for i in range(count)]
    for version in ("2", "3"):
        with open(os.path.join(out, "ixpm-large-%s.conf" % version), "w") as f:
            f.write(text("ixpm-large", 4, False, version, members))


def make(out, name):
    family, pipes = int(name[-1]), "pipes" in name
    for version in ("2", "3"):
        with open(os.path.join(out, "%s-%s.conf" % (name, version)), "w") as f:
            f.write(text(name, family, pipes, version))
    clients = {}
    for asn, last, checked, limit, password in MEMBERS:
        clients[(asn, last)] = {"asn": asn, "ip": [address(last, family)], "password": password, "cfg": {"filtering": {
            "irrdb": {"as_sets": ["AS-X%d" % (asn % 100)]}}}}
    policy = {
        "cfg": {"rs_as": RS_AS, "filtering": {"max_as_path_len": 64}, "communities": {
            "internal": {"lrg": "rs_as:1101:dyn_val", "std": "rs_as:dyn_val"},
            "informational": {"lrg": "rs_as:1000:dyn_val"},
            "do_not_announce_to_any": {"std": "0:rs_as", "lrg": "rs_as:0:0"},
            "do_not_announce_to_peer": {"std": "0:peer_as", "lrg": "rs_as:0:peer_as"},
            "announce_to_peer": {"std": "rs_as:peer_as", "lrg": "rs_as:1:peer_as"},
            "prepend_once_to_peer": {"lrg": "rs_as:101:peer_as"},
            "prepend_twice_to_peer": {"lrg": "rs_as:102:peer_as"},
            "prepend_thrice_to_peer": {"lrg": "rs_as:103:peer_as"}}},
        "clients": list(clients.values()), "asns": {},
        "bogons": [{"prefix": b.split("/")[0], "length": int(b.split("/")[1].rstrip("+-").split("{")[0])}
                   for b in BOGONS[family]]}
    with open(os.path.join(out, name + ".json"), "w") as f:
        json.dump(policy, f)
