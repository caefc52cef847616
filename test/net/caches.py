# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of protocol rpki share: a daemon beside its caches, and what it says of them."""

from harness import *
from rtr_cache import *

HEAD = """
router id 10.0.0.1;
log "RUN/bird.log" all;
debug protocols { states, packets };
roa4 table r4;
roa6 table r6;
%s
protocol device {}
"""
ASPA_TABLE = "aspa table as1;"
VRPS = [("192.0.2.0/24", 25, 65001), ("198.51.100.0/24", 24, 65002), ("2001:db8::/32", 48, 65001)]


def rpki(name, port, more="", channels="roa4; roa6; aspa;"):
    return "protocol rpki %s { %s remote 127.0.0.1 port %d; retry keep 1; %s }\n" % (name, channels, port, more)


def conf(*protos):
    return HEAD % ASPA_TABLE + "".join(protos)


def roas(d, table="r4"):
    """{ROA: [protocols that bring it]}"""
    found, last = {}, None
    for line in d.text("show route table %s" % table).splitlines():
        m = re.match(r"(\S+ AS\d+|AS\d+|\s)\s+\[(\S+) ", line)
        if m:
            last = m.group(1) if m.group(1).strip() else last
            found.setdefault(last, []).append(m.group(2))
    return {k: sorted(v) for k, v in found.items()}


def keys(d, table="r4"):
    return sorted(roas(d, table))


def state(d, name="c"):
    return re.search(r"^%s\s+RPKI\s+\S+\s+(\S+)\s+\S+\s+(\S*)" % name, d.text("show protocols"), re.M).groups()


def wait_state(d, want, name="c"):
    wait_until(lambda: state(d, name)[1] == want, lambda: "%s; it is %s: %s" % (want, state(d, name), d.said()))


def field(d, what, name="c"):
    return re.search(r"^\s+%s\s*:\s+(.*)$" % what, d.text("show protocols all " + name), re.M).group(1)


def updates(d, name="c"):
    """Announcements and withdrawals to the first channel's table so far."""
    m = re.search(r"Import updates:\s+(\d+).*\n.*Import withdraws:\s+(\d+)", d.text("show protocols all " + name))
    return [int(x) for x in m.groups()]


def log_of(d):
    with open(d.log) as f:
        return f.read()


def start(*more, vrps=VRPS, aspas=None, **options):
    """A cache and a daemon that has its data."""
    cache = Cache(free_port())
    for k, v in options.items():
        setattr(cache, k, v)
    cache.vrps, cache.aspas = set(vrps), dict(aspas or {})
    d = Daemon(conf(rpki("c", cache.port, *more))).start()
    return cache, d


def finish(cache, d):
    d.stop()
    cache.kill()


def crowd(cnt):
    return {("%d.%d.%d.0/24" % (20 + i // 65536, i // 256 % 256, i % 256), 24 + i % 9, 64512 + i % 1000) for i in range(cnt)}
