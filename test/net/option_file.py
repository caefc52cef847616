# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the options: an instance for each row of option_rows.py, with or without the option.

The words in capital letters that option_rows.py names stay in the texts; who writes the file replaces the words."""

import re

HEAD = """router id 10.0.0.1;
log "RUN/bird.log" all;
TOP
ipv4 table second4;
ipv4 table sorted4 sorted;
roa4 table vrps;
filter chosen { if net ~ [ 20.0.0.0/13+ ] then reject; bgp_community.add((65000, 99)); accept; }
protocol static some { ipv4; route 50.0.0.0/24 via 10.7.1.2; route 50.0.1.0/24 via 10.7.2.2; route 50.0.2.0/24 \
blackhole; }
protocol static seconds { ipv4 { table second4; }; route 50.0.0.0/16 via 10.7.2.2; route 51.0.0.0/24 blackhole; }
protocol static signed { roa4 { table vrps; }; route 20.0.0.0/16 max 24 as 1; route 20.1.0.0/16 max 24 as 65001; }
template bgp any_member {
	local LOCAL port PORT as 65000; multihop; passive; rs client; strict bind on;
	error wait time 1, 1; connect delay time 1; connect retry time 1; hold time 240;
}
"""
BFD_NAMES = "bfd interface", "bfd interface password", "bfd interface passwords"
MEMBER_TABLES = {  # of options: where the option stands in a member's text
    "protocol": "OPT ipv4 { import all; export all; };",
    "bgp": "OPT ipv4 { import all; export all; };",
    "channel": "ipv4 { import all; export all; OPT };",
    "bgp channel": "ipv4 { import all; export all; OPT };",
    "bgp bfd": "bfd { OPT }; ipv4 { import all; export all; };",
    "bgp bfd password": 'bfd { authentication simple; password "secret" { OPT }; }; ipv4 { import all; export all; };',
    "bgp bfd passwords": (
        'bfd { authentication simple; passwords { password "secret"; OPT }; }; ipv4 { import all; export all; };'
    ),
    "bgp keys": 'authentication ao; keys { key { id 1; secret "one"; }; OPT }; ipv4 { import all; export all; };',
    "bgp keys key": 'authentication ao; keys { key { id 1; secret "one"; OPT }; key { id 5; secret "five"; }; };'
    " ipv4 { import all; export all; };",
}
SESSION_OPTIONS = "long lived graceful restart on;", "graceful restart on;", "direct;"  # that stand outside the channel


class Row:
    """An option and its instance."""

    serial = 0

    def __init__(self, table, option, told):
        told = (told,) if isinstance(told, str) else told
        self.table, self.option = table, option
        self.text, self.both, self.without = (told + ("", ""))[:3]
        Row.serial += 1
        self.k = Row.serial
        self.name = re.sub(r"\W", "_", "%s_%s" % (table, option))
        self.address = "127.0.%d.%d" % (11 + self.k // 200, 1 + self.k % 200)
        self.as_number = 65000 if "as 65000;" in self.both else 64600 + self.k
        self.listen = "LISTEN%d" % self.k

    def said(self, on):
        """What stands at the option's place."""
        text = self.both + " " + (self.text if on else self.without)
        return (
            text.replace("ADDR", self.address)
            .replace("ASN", str(self.as_number))
            .replace("LISTEN", self.listen)
            .replace("TAB", "t%d" % self.k)
        )

    def is_member(self):
        return self.table in MEMBER_TABLES


def holder(row, said):
    """The instance of a row. @said: what stands at the option's place."""
    t, n, k = row.table, row.name, row.k
    if row.is_member():
        where = MEMBER_TABLES[t]
        outer = ""
        if where.startswith("ipv4") or t.startswith("bgp bfd"):
            for o in SESSION_OPTIONS:
                if o in row.both:
                    outer, said = outer + o, said.replace(o, "", 1)
        near = "" if "neighbor range" in said else "neighbor %s as %d;" % (row.address, row.as_number)
        return "protocol bgp %s from any_member { %s %s %s }\n" % (n, near, outer, where.replace("OPT", said))
    if t == "table":
        kind = "roa4" if row.option in ("digest settle time", "rpki wait") else "ipv4"
        route = "20.0.0.0/16 max 24 as 1" if kind == "roa4" else "40.0.0.0/24 blackhole"
        return "%s table t%d { %s };\nprotocol static %s { %s { table t%d; }; route %s; }\n" % (
            kind,
            k,
            said,
            n,
            kind,
            k,
            route,
        )
    own = "ipv4 table t%d;\n" % k
    if t == "direct":
        return own + "protocol direct %s { ipv4 { table t%d; }; %s }\n" % (n, k, said)
    if t == "kernel":
        return (
            own + "protocol static s%d { ipv4 { table t%d; }; route 60.0.%d.0/24 via 10.7.1.2; route 61.0.%d.0/24 via"
            " 10.7.2.2; }\n" % (k, k, k, k)
            + "protocol kernel %s { ipv4 { table t%d; export all; }; kernel table KT%d; %s }\n"
            % (n, k, k, said.replace("KT9", "KT%d" % (k + 500)))
        )
    if t == "mrt":
        more = "" if " load " in " " + said else 'table "second*"; filename "RUN/%s.%%N.mrt"; period 100000;' % n
        return own + "protocol mrt %s { %s %s }\n" % (n, more, said)
    if t == "bmp":
        mode = "" if "station on" in said or row.without else "station address ip 127.0.0.1 port STATION_%s_1;" % n
        said = said.replace("STATION1", "STATION_%s_1" % n).replace("STATION2", "STATION_%s_2" % n)
        peers = "" if "monitoring peers" in said or "station on" in said else 'monitoring peers "channel_*";'
        return own + "protocol bmp %s { %s connect retry time 1; %s %s }\n" % (n, mode, peers, said)
    if t == "static":
        return (
            own
            + "protocol static %s { ipv4 { table t%d; }; route 40.0.0.0/24 via 10.7.1.2; route 40.0.1.0/24 blackhole;"
            " %s }\n" % (n, k, said)
        )
    if t == "pipe":
        return own + (
            "protocol static s%d { ipv4 { table t%d; }; route 40.%d.1.0/24 blackhole; route 40.%d.2.0/24 blackhole; }\n"
            % (k, k, k, k)
            + "protocol pipe %s { table t%d; peer table master4; import none; export all; %s }\n" % (n, k, said)
        )
    if t == "rpki":
        return "roa4 table t%d;\nprotocol rpki %s { roa4 { table t%d; }; remote 127.0.0.1 port CACHE1; %s }\n" % (
            k,
            n,
            k,
            said,
        )
    if t == "rpki transport":
        kind = "ssh" if "bird private key" in said else "tcp"
        return (
            "roa4 table t%d;\nprotocol rpki %s { roa4 { table t%d; }; remote 127.0.0.1 port CACHE1; transport %s { %s"
            " }; }\n" % (k, n, k, kind, said)
        )
    raise KeyError("no place for an option of " + t)


def whole(rows, having):
    """The file. @having: the rows whose options it has."""
    said = {r: r.said(r in having) for r in rows}
    text = HEAD.replace("TOP", "\n".join(said[r] for r in rows if r.table == "top level"))
    text += "protocol device { %s }\n" % " ".join(
        said[r] if r.table == "device" else 'interface "k%d" { %s };' % (r.k % 2, said[r])
        for r in rows
        if r.table.startswith("device")
    )
    bfd = [said[r] for r in rows if r.table == "bfd"]
    for i, r in enumerate(r for r in rows if r.table in BFD_NAMES):
        inner = {
            "bfd interface": "%s",
            "bfd interface password": 'authentication simple; password "secret" { %s };',
            "bfd interface passwords": 'authentication simple; passwords { password "secret"; %s };',
        }[r.table] % said[r]
        bfd += ['interface "b%d" { %s };' % (i, inner), 'neighbor 10.8.%d.2 dev "b%d" local 10.8.%d.1;' % (i, i, i)]
    text += "protocol bfd { strict bind on; %s }\n" % " ".join(bfd)
    return text + "".join(
        holder(r, said[r])
        for r in rows
        if r.table not in ("top level", "device", "device interface", "bfd") + BFD_NAMES
    )
