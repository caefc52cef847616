# SPDX-License-Identifier: GPL-3.0-or-later
"""ternhttp beside daemons, for tests: start, requests, and their answers."""

import http.client
import json

from harness import *

# A route server with three members, and a restricted socket for ternhttp.
CONF = """
router id 10.0.0.1;
log "RUN/bird.log" all;
threads 2;
cli "RUN/lg.ctl" { restrict; mode "0666"; };
protocol device { }
roa4 table r4;
protocol static { roa4 { table r4; }; route 20.0.1.0/24 max 24 as 65001; }
filter f_in { if net.len > 24 then reject "too long"; accept; }
template bgp any { local 127.0.10.1 port PORT as 65000; strict bind on; passive; multihop; rs client;
  ipv4 { import keep filtered; import filter f_in; export where !((65000, 0) ~ bgp_community); }; }
protocol bgp p1 from any { description "Example <b>&'Networks"; neighbor 127.0.11.1 as 65001; }
protocol bgp p2 from any { description "Second"; neighbor 127.0.11.2 as 65002; }
protocol bgp p3 from any { neighbor 127.0.11.3 as 65003; }
"""


class Glass:
    """A ternhttp with the control sockets @servers: {name: path}."""

    def __init__(self, servers, *more, through=()):
        """@more: options. @through: a command that begins ternhttp."""
        argv = [*through, program("ternhttp"), "-l", "127.0.0.1:0", *more]
        for name, path in servers.items():
            argv += ["-s", "%s=%s" % (name, path)]
        self.out = os.path.join(temp_dir(), "out")
        # The sandbox refuses ptrace(2), which the search for leaks at the end needs.
        env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        with open(self.out, "wb") as out:
            self.proc = spawn(argv, stdout=out, stderr=out, env=env)
        wait_until(lambda: re.search(r":(\d+)/\n", self.said()), self.said)
        self.port = int(re.search(r":(\d+)/\n", self.said()).group(1))

    def said(self):
        with open(self.out) as f:
            return f.read()

    def get(self, target, method="GET", headers=None, source=None):
        """@source: the address of the client. Returns: status, headers, body."""
        c = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60 * SLOW, source_address=(source, 0) if source else None
        )
        try:
            c.request(method, target, headers=headers or {})
            r = c.getresponse()
            return r.status, r.headers, r.read().decode()
        finally:
            c.close()

    def text(self, target):
        status, _, body = self.get(target)
        equal(status, 200, "%s: %.300s" % (target, body))
        return body

    def json(self, target):
        status, headers, body = self.get(target)
        equal(status, 200, "%s: %.300s" % (target, body))
        equal(headers["Content-Type"], "application/json", target)
        return json.loads(body)

    def problem(self, target, want):
        """The text of the problem of an answer with the status @want."""
        status, headers, body = self.get(target)
        equal(status, want, "%s: %.300s" % (target, body))
        equal(headers["Content-Type"], "application/problem+json", target)
        p = json.loads(body)
        equal((p["status"], p["type"]), (want, "about:blank"), target)
        check(p["title"] and p["detail"], body)
        return p["detail"]

    def raw(self, data, limit_s=30):
        """Send @data as it is; returns the octets of the answer, up to the end of the connection. A client that
        closes its side leaves, so that a whole request has `Connection: close`."""
        with socket.create_connection(("127.0.0.1", self.port), limit_s * SLOW) as s:
            got = b""
            try:
                s.sendall(data)
                if b"Connection: close" not in data:
                    s.shutdown(socket.SHUT_WR)
            except OSError:  # the server has closed the connection
                pass
            try:
                while True:
                    d = s.recv(65536)
                    if not d:
                        return got
                    got += d
            except OSError:  # the server has closed the connection
                return got

    def stop(self):
        return end(self.proc)
