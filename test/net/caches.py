# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of protocol rpki share these parts: a daemon beside its caches, and what it says of them."""

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


def rpki(name, port, more="", channels="roa4; roa6; aspa;", retry=1):
    """@retry: seconds within which a cache is to answer, and after which it is asked again."""
    return "protocol rpki %s { %s remote 127.0.0.1 port %d; retry keep %d; %s }\n" % (name, channels, port, retry, more)


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
    found = re.search(r"^\s+%s\s*:\s+(.*)$" % what, d.text("show protocols all " + name), re.M)
    return found.group(1) if found else ""


def updates(d, name="c"):
    """Announcements and withdrawals to the first channel's table so far."""
    return d.counters(name, 1)


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


class Relay:
    """Between a daemon and a cache that knows nothing of it. What the cache says goes on as @mode tells: "ok"; "slow":
    one octet a second; a function of what comes."""

    def __init__(self, to):
        self.to, self.port, self.mode, self.tries = to, free_port(), "ok", 0
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            s, _ = self.listener.accept()
            self.tries += 1
            try:
                up = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                s.close()
                continue
            threading.Thread(target=self._pass, args=(s, up, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(up, s, True), daemon=True).start()

    def _pass(self, a, b, from_cache):
        try:
            while data := a.recv(65536):
                while from_cache and self.mode == "slow" and data:
                    b.sendall(data[:1])
                    data = data[1:]
                    spread(0.25)
                b.sendall(self.mode(data) if from_cache and callable(self.mode) else data)
        except OSError:
            pass
        finally:  # the other thread closes what it reads
            a.close()
            try:
                b.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def crowd(cnt):
    return {
        ("%d.%d.%d.0/24" % (20 + i // 65536, i // 256 % 256, i % 256), 24 + i % 9, 64512 + i % 1000) for i in range(cnt)
    }
