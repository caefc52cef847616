# SPDX-License-Identifier: GPL-3.0-or-later
"""ternload can fail: through a proxy that breaks what one client is sent, ternload exits with 1 and names the client
and the prefix. Without a fault the same set-up exits with 0. The same with add-path, and what can be wrong there
alone."""

from harness import *
from proxy import Proxy

CLIENT = "127.0.1.2"
SIZES = dict(clients=4, nets=400, ratio=2, seed=7)
PATHS = dict(add_paths="tx")


def play(fault, more, limit_s):
    """One run through the proxy. Returns: exit status, faults, and the lines of ternload about clients."""
    port, proxy_port = free_port(), free_port()
    d = Daemon(load_conf(load_options(port, **SIZES, **more))).start()
    proxy = Proxy(proxy_port, port, CLIENT, fault, ids=bool(more))
    load = Load(
        load_options(proxy_port, **SIZES, **more, report=100000, quiet=True),
        limit_s,
        "announce,settle=300,churn=100,settle=300",
    )
    rc, _ = load.finish()
    proxy.end()
    d.kill()
    with open(load.err_path, errors="replace") as f:
        return rc, proxy.faults, [line.rstrip() for line in f if "client " in line]


def whole(more):
    rc, faults, lines = play("none", more, 20)
    equal((rc, faults, lines), (0, [], []), "exit status, faults and differences without a fault")


def broken(fault, more):
    rc, faults, lines = play(fault, more, 6)  # BIRD 2.0.12 at times rests for 3 s
    equal(rc, 1, "exit status: %s" % lines)
    named = [
        prefix
        for _, prefix in faults
        if any(
            re.search(
                r"client %s \(AS \d+\): ((missing|extra|wrong) %s$|.* first %s path id)"
                % (re.escape(CLIENT), re.escape(prefix), re.escape(prefix)),
                line,
            )
            for line in lines
        )
    ]
    check(named, "client and prefix aren't named: %r, %r" % (faults[:5], lines[:5]))
    others = [line for line in lines if "client %s " % CLIENT not in line]
    check(not others, "differences of other clients: %r" % others)


def full_disk():
    """Nor does ternload succeed if nobody can read the result."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [program("ternload"), "--clients", "2", "--conf", "tern"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    check(done.returncode != 0, "exit status 0")
    check(b"could not be written: No space left" in done.stderr, "%r" % done.stderr)


def malformed_update():
    """A recorded UPDATE whose prefix has 33 bits: ternload names the UPDATE and its peer."""
    update = b"\xff" * 16 + bytes.fromhex("0000020000000021cb00710000")
    update = update[:16] + len(update).to_bytes(2, "big") + update[18:]
    body = bytes.fromhex("0000fde8 0000fde9 0000 0001 cb00710d cb007101".replace(" ", "")) + update
    path = os.path.join(tempfile.mkdtemp(), "updates.mrt")
    with open(path, "wb") as f:
        f.write(bytes.fromhex("6553f100 0010 0004".replace(" ", "")) + len(body).to_bytes(4, "big") + body)
    done = subprocess.run(
        [program("ternload"), "--mrt", path, "--port", "1", "--time-limit", "3"], capture_output=True, timeout=60
    )
    equal(done.returncode, 1, "exit status")
    equal(done.stderr, b"ternload: UPDATE 1 of the file, from 203.0.113.13 AS 65000, is malformed\n", "text")


for title, more, faults in (
    ("one path", {}, ("drop", "community", "repeat", "withhold")),
    ("add-path", PATHS, ("drop", "double", "other", "unknown")),
):
    case(title, whole, more)
    for fault in faults:
        case("%s: %s" % (title, fault), broken, fault, more)
case("a full disk", full_disk)
case("a malformed UPDATE of a file", malformed_update)
done()
