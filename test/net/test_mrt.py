# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded updates replayed by ternload, in the order of the file and shuffled between peers: what the daemon then
shows is, route by route and attribute by attribute, what bgpdump reads in the file, and the best routes are those of
mrt_expect.py's own decision.

TERN_MRT: a recorded file instead of a file that make_mrt.py makes; TERN_MRT_EXPECT: the file's "routes,nets"."""

import gzip

from harness import *

HERE = os.path.dirname(os.path.abspath(__file__))
if not shutil.which("bgpdump"):
    needs("bgpdump")


def tool(name, *words):
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(HERE, name)] + list(words), stdout=subprocess.PIPE, timeout=200
    )
    check(done.returncode == 0, "%s: %s" % (name, done.stdout.decode()[-4000:]))


def made():
    path = os.path.join(temp_dir(), "made")
    tool("make_mrt.py", path)
    return path


def recorded():
    path, plain = os.environ.get("TERN_MRT"), os.path.join(temp_dir(), "mrt")
    if not path:
        return made()
    elif VIRTUAL and path.endswith(".gz"):  # the world starts no gzip
        with gzip.open(path) as packed, open(plain, "wb") as f:
            shutil.copyfileobj(packed, f)
    else:
        return path
    return plain


def replay(mrt, expect, *more):
    options = ["--mrt", mrt, "--port", str(free_port())]
    d = Daemon(load_conf(options)).start()
    load = Load(options + list(more), 60, "announce,settle,hold=600")
    load.wait_hold()
    shown = os.path.join(d.dir, "routes")
    with open(shown, "w") as f:
        f.write(d.text("show route all") + "\n")
    load.proc.terminate()
    load.succeed()
    d.stop()
    tool("mrt_expect.py", "--mrt", mrt, "--routes", shown, *(["--expect", expect] if expect else []))


MRT = recorded()
EXPECT = os.environ.get("TERN_MRT_EXPECT")
case("in the order of the file", replay, MRT, EXPECT)
case("shuffled", replay, made(), None, "--shuffle", "1")
if SOAK:
    case("a recorded file shuffled", replay, MRT, EXPECT, "--shuffle", "1")
    case("shuffled otherwise", replay, MRT, EXPECT, "--shuffle", "2")
done()
