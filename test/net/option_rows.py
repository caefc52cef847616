# SPDX-License-Identifier: GPL-3.0-or-later
"""A row for each option: what a file says that has the option, and what it says besides.

ROWS: {table of options: {option: text, or (text, what both files say, what the file without the option says)}}. The names are
those of the tables in doc/language.md; test/unit/test_doc_language.c compares these tables with the program's. In texts RUN is
the daemon's folder, LOCAL the daemon's address, PORT the daemon's port of BGP, ADDR and ASN are the member's, KT9 is a table of
the kernel, STATION1 and STATION2 are ports of stations, LISTEN is a port of the daemon's for each row, CACHE1 and CACHE2 are
ports of caches, and TAB is a table of the instance.
"""

BFD_ROWS = {
    "interval": "interval 300 ms;", "min rx interval": "min rx interval 200 ms;", "min tx interval": "min tx interval 200 ms;",
    "idle tx interval": "idle tx interval 2 s;", "multiplier": "multiplier 7;", "passive": "passive on;",
    "graceful": "graceful on;", "authentication": ("authentication simple;", 'password "secret";'),
    "password": ('password "other";', "authentication simple;"), "key": ('key "other";', "authentication simple;"),
    "passwords": ('passwords { password "other"; };', "authentication simple;"),
}
PASSWORD_ROWS = {
    "id": "id 7;", "generate from": 'generate from "2020-01-01";', "generate to": 'generate to "2040-01-01";',
    "accept from": 'accept from "2020-01-01";', "accept to": 'accept to "2040-01-01";', "from": 'from "2020-01-01";',
    "to": 'to "2040-01-01";',
}
PASSWORDS_ROWS = {"password": 'password "other";', "key": 'key "other";'}
IP_TABLES = {
    "sorted": "sorted on;", "trie": "trie on;", "longest match index": "longest match index on;", "debug": "debug all;",
    "gc threshold": "gc threshold 100;", "gc period": "gc period 10 s;", "min settle time": "min settle time 1 s;",
    "max settle time": "max settle time 20 s;", "cork threshold": "cork threshold 100 200;",
    "export settle time": "export settle time 1 s 2 s;",
    "route refresh export settle time": "route refresh export settle time 1 s 2 s;", "thread group": "thread group worker;",
}
ROA_TABLES = {"digest settle time": "digest settle time 1 s 2 s;", "rpki wait": "rpki wait 1;"}
GR = "graceful restart on;"
LLGR = "graceful restart on; long lived graceful restart on;"
STATION = "station on; ipv4 { table TAB; }; listen address 127.0.0.1 port LISTEN;"
SSH = 'user "one"; bird private key "RUN/one"; remote public key "RUN/one";'
RANGE = 'neighbor range ADDR/32 as ASN; dynamic name "drowTAB";'
INTERNAL = "rs client off; neighbor as 65000;"
AO = 'authentication ao; keys { key { id 1; secret "one"; }; };'

ROWS = {
    "top level": {
        "router id": "router id 10.0.0.7;", "hostname": 'hostname "other";', "threads": "threads 2;",
        "log": 'log "RUN/other.log" all;', "timeformat route": "timeformat route iso long;",
        "timeformat protocol": "timeformat protocol iso long;", "timeformat base": "timeformat base iso long;",
        "timeformat log": "timeformat log iso long;", "debug protocols": "debug protocols { states };",
        "debug channels": "debug channels { states };", "debug tables": "debug tables { states };", "debug commands": "debug commands 1;",
        "debug latency": "debug latency on;", "debug latency limit": "debug latency limit 2 s;", "debug show route": "debug show route on;",
        "watchdog warning": "watchdog warning 9 s;", "watchdog timeout": "watchdog timeout 100 s;",
        "graceful restart wait": "graceful restart wait 100;", "mrtdump": 'mrtdump "RUN/said.mrt";',
        "mrtdump protocols": "mrtdump protocols { states };", "cli": 'cli "RUN/other.ctl";', "ipv4 table": "ipv4 table more4;",
        "ipv6 table": "ipv6 table more6;", "roa4 table": "roa4 table morer4;", "roa6 table": "roa6 table morer6;",
        "aspa table": "aspa table morea;",
    },
    "table": dict(IP_TABLES, **ROA_TABLES),
    "protocol": {
        "disabled": "disabled;", "revive after limit": "revive after limit off;", "description": 'description "a text";',
        "debug": "debug { states };", "router id": "router id 10.0.0.9;", "hostname": ('hostname "mine";', "advertise hostname on;"),
        "restart time": "restart time 1 s;", "mrtdump": "mrtdump { states };", "vrf": "vrf default;",
    },
    "channel": {
        "table": "table second4;", "preference": "preference 170;", "import": "import filter chosen;", "export": "export filter chosen;",
        "import limit": "import limit 1 action disable;", "receive limit": "receive limit 1 action disable;",
        "export limit": "export limit 5 action disable;", "route limit": "route limit 1 action disable;",
        "import keep filtered": ("import keep filtered on;", "import filter chosen;"), "rejects": ("rejects 1;", "import filter chosen;"),
        "rpki reload": ("rpki reload off;", "import where roa_check(vrps) != ROA_INVALID;"), "debug": "debug { states };",
        "description": 'description "a text";', "export in": "export in 20.0.0.0/8 none;",
        "net limit": ("net limit 2;", "add paths rx;"),
    },
    "device": {"scan time": "scan time 30;", "interface": 'interface "lo" { preferred 127.0.0.1; };'},
    "device interface": {"preferred": "preferred 10.7.1.2;"},
    "direct": {"interface": 'interface "k0";', "check link": "check link on;"},
    "kernel": {
        "persist": "persist on;", "scan time": "scan time 30;", "learn": "learn on;", "kernel table": "kernel table KT9;",
        "metric": "metric 77;", "graceful restart": "graceful restart on;", "merge paths": "merge paths on;",
        "netlink rx buffer": "netlink rx buffer 200000;",
    },
    "mrt": {
        "table": "table second4;", "FILTER": "filter chosen;", "filename": 'filename "RUN/other.%N.mrt";', "period": "period 40000;",
        "always add path": "always add path on;", "load": 'load "MRTFILE"; ipv4 { table TAB; };',
    },
    "bfd": {
        "accept": "accept ipv4 direct;", "strict bind": "strict bind on;", "zero udp6 checksum rx": "zero udp6 checksum rx on;",
        "express thread group": "express thread group worker;", "interface": 'interface "k1" { interval 400 ms; };',
        "multihop": "multihop { interval 400 ms; };", "neighbor": "neighbor 10.7.1.90;",
    },
    "bfd interface": BFD_ROWS,
    "bfd interface password": PASSWORD_ROWS,
    "bfd interface passwords": PASSWORDS_ROWS,
    "bmp": {
        "station address ip": ("station address ip 127.0.0.1 port STATION2;", "monitoring rib in post_policy;"), "local address": "local address 127.0.0.5;", "system description": 'system description "a text";',
        "system name": 'system name "a name";', "monitoring rib in pre_policy": "monitoring rib in pre_policy;",
        "monitoring rib in post_policy": "monitoring rib in post_policy;", "monitoring rib out pre_policy": "monitoring rib out pre_policy;",
        "monitoring rib out post_policy": "monitoring rib out post_policy;", "monitoring rib local": "monitoring rib local;",
        "monitoring peers": ('monitoring peers "channel_e*";', "monitoring rib in post_policy;"),
        "route mirroring": ("route mirroring on;", "monitoring rib in pre_policy;"), "stats interval": "stats interval 5000;",
        "connect retry time": "connect retry time 3;", "tx buffer limit": "tx buffer limit 10;", "station": (STATION, "", "station address ip 127.0.0.1 port STATION1;"), "listen": ("listen address 127.0.0.7 port LISTEN;", STATION, ""),
        "allow": ("allow 127.0.0.0/8;", STATION, ""), "max routers": ("max routers 2;", STATION, ""), "max peers": ("max peers 2;", STATION, ""), "keep time": ("keep time 5;", STATION, ""),
    },
    "static": {
        "route": "route 40.0.9.0/24 blackhole;", "check link": "check link on;",
        "igp table": ("igp table second4;", "route 40.0.8.0/24 recursive 50.0.0.1;"),
    },
    "pipe": {
        "table": "table second4;", "peer table": "peer table second4;", "import": "import none;", "export": "export filter chosen;",
        "import in": "import in 20.0.0.0/8 none;", "export in": "export in 20.0.0.0/8 none;",
        "import limit": "import limit 1 action disable;", "export limit": "export limit 1 action disable;", "preference": "preference 170;",
        "rpki reload": ("rpki reload off;", "export where roa_check(vrps) != ROA_INVALID;"), "max generation": "max generation 3;",
    },
    "rpki": {
        "remote": "remote 127.0.0.1 port CACHE2;", "port": "port CACHE2;", "local address": "local address 127.0.0.6;", "refresh": "refresh keep 700;", "retry": "retry keep 50;",
        "expire": "expire keep 9000;", "ignore max length": "ignore max length on;", "min version": "min version 1;",
        "max version": "max version 1;", "transport": "transport tcp { authentication none; };",
    },
    "rpki transport": {
        "authentication": 'authentication md5; password "one";', "password": ('password "other";', 'authentication md5; password "one";'),
        "bird private key": ('bird private key "RUN/other";', SSH, ""), "remote public key": ('remote public key "RUN/other";', SSH, ""),
        "user": ('user "other";', SSH, ""),
    },
    "bgp": {
        "local": "local LOCAL port PORT as 65000;", "neighbor": "neighbor port 20001;", "interface": ('interface "k0";', "direct;"), "multihop": "multihop 3;",
        "direct": "direct;", "source address": "source address LOCAL;", "strict bind": "strict bind off;", "free bind": "free bind on;",
        "onlink": ("onlink on;", 'direct; interface "k0";'), "check link": "check link off;", "dynamic name": ('dynamic name "other";', RANGE), "dynamic name digits": ("dynamic name digits 4;", RANGE),
        "dynamic limit": ("dynamic limit 3;", RANGE), "dynamic age": ("dynamic age 100;", RANGE), "passive": "passive off;", "disable rx": "disable rx on;", "tx size warning": "tx size warning 100;",
        "tx class": "tx class 160;", "tx dscp": "tx dscp 10;", "tx priority": "tx priority 3;",
        "authentication": ("authentication none;", ""), "password": 'password "secret";', "keys": (AO, ""), "setkey": "setkey off;",
        "ttl security": "ttl security on;", "enforce first as": "enforce first as on;", "local role": "local role rs_server;",
        "require roles": ("require roles on;", "local role rs_server;"), "allow local as": "allow local as 2;",
        "allow as sets": "allow as sets on;", "allow bgp_local_pref": "allow bgp_local_pref on;", "allow bgp_med": "allow bgp_med on;",
        "rs client": "rs client off;", "rr client": ("rr client on;", INTERNAL), "rr cluster id": ("rr cluster id 10.9.9.9;", INTERNAL + " rr client on;"), "confederation": "confederation 65000;",
        "confederation member": ("confederation member on;", "rs client off; confederation 65000;"), "interpret communities": "interpret communities off;",
        "hold time": "hold time 100;", "min hold time": "min hold time 10;", "startup hold time": "startup hold time 100;",
        "keepalive time": "keepalive time 20;", "min keepalive time": "min keepalive time 5;", "send hold time": "send hold time 900;",
        "connect delay time": "connect delay time 2;", "start delay time": "start delay time 2;",
        "connect retry time": "connect retry time 50;", "error wait time": "error wait time 1, 2;", "error forget time": "error forget time 7;",
        "disable after error": "disable after error on;", "disable after cease": "disable after cease on;",
        "capabilities": "capabilities off;", "enable as4": "enable as4 off;", "enable route refresh": "enable route refresh off;",
        "enable enhanced route refresh": "enable enhanced route refresh off;",
        "enable extended messages": "enable extended messages on;", "advertise hostname": "advertise hostname on;",
        "require as4": "require as4 on;", "require route refresh": "require route refresh on;",
        "require enhanced route refresh": "require enhanced route refresh on;",
        "require extended messages": ("require extended messages on;", "enable extended messages on;"),
        "require hostname": ("require hostname on;", "advertise hostname on;"),
        "require graceful restart": ("require graceful restart on;", GR),
        "require long lived graceful restart": ("require long lived graceful restart on;", LLGR),
        "graceful restart": "graceful restart on;", "graceful restart time": ("graceful restart time 60;", GR),
        "graceful restart notification": ("graceful restart notification on;", GR),
        "min graceful restart time": ("min graceful restart time 10;", GR), "max graceful restart time": ("max graceful restart time 100;", GR),
        "long lived graceful restart": ("long lived graceful restart on;", GR), "long lived stale time": ("long lived stale time 60;", LLGR),
        "min long lived stale time": ("min long lived stale time 60;", LLGR), "max long lived stale time": ("max long lived stale time 6000;", LLGR),
        "path metric": "path metric off;", "med metric": "med metric on;", "deterministic med": "deterministic med on;",
        "igp metric": "igp metric off;", "prefer older": "prefer older on;", "default bgp_med": "default bgp_med 7;",
        "default bgp_local_pref": "default bgp_local_pref 150;", "bfd": "bfd on;",
    },
    "bgp bfd": BFD_ROWS,
    "bgp bfd password": PASSWORD_ROWS,
    "bgp bfd passwords": PASSWORDS_ROWS,
    "bgp keys": {"key": 'key { id 2; secret "two"; };'},
    "bgp keys key": {
        "id": "id 9;", "send id": ("send id 9;", "recv id 9;"), "recv id": ("recv id 9;", "send id 9;"), "secret": 'secret "other";',
        "algorithm": "algorithm hmac sha256;", "preferred": "preferred on;", "deprecated": "deprecated on;",
    },
    "bgp channel": {
        "mandatory": "mandatory on;", "next hop keep": "next hop keep off;", "next hop self": "next hop self on;",
        "next hop address": "next hop address 10.7.1.77;", "next hop prefer": "next hop prefer local;",
        "missing lladdr": "missing lladdr drop;", "link local next hop format": "link local next hop format single;",
        "gateway": "gateway recursive;", "igp table": ("igp table second4;", "gateway recursive;"),
        "import table": "import table on;", "export table": "export table on;", "export settle time": "export settle time 1 s 2 s;",
        "secondary": ("secondary on;", "direct; gateway direct; table sorted4;"), "extended next hop": "extended next hop on;",
        "require extended next hop": ("require extended next hop on;", "extended next hop on;"), "add paths": "add paths on;",
        "require add paths": ("require add paths on;", "add paths on;"), "aigp": "aigp on;", "cost": "cost 10;",
        "graceful restart": ("graceful restart off;", GR), "long lived graceful restart": ("long lived graceful restart off;", LLGR),
        "long lived stale time": ("long lived stale time 60;", LLGR), "min long lived stale time": ("min long lived stale time 60;", LLGR),
        "max long lived stale time": ("max long lived stale time 6000;", LLGR),
    },
}
