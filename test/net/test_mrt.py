# SPDX-License-Identifier: GPL-3.0-or-later
"""Real updates: afterwards the daemon holds, route by route, what an independent reading of the file gives.
TERN_DATA: the folder with ris-rrc15-updates-2010-02-27.gz."""

from harness import *

DATA = os.environ.get("TERN_DATA", "")
FILE = os.path.join(DATA, "ris-rrc15-updates-2010-02-27.gz")
ROUTES, NETS = 49746, 49040


def run(*more):
    port = free_port()
    options = ["--port", str(port), "--mrt", FILE, "--no-filter"] + list(more)
    d = Daemon(load_conf(options)).start()
    load = Load(options, 100, steps="announce,settle=1000,hold=600")
    wait_until(lambda: "hold" in load.said() or load.proc.poll() is not None, "all updates to be replayed", 100)
    check(load.proc.poll() is None, "ternload: " + load.said())
    equal(d.routes(), (ROUTES, NETS), "routes and nets")
    path = d.dir + "/routes"
    with open(path, "wb") as f:
        subprocess.run([program("ternc"), "-s", d.ctl, "show", "route", "all"], stdout=f, check=True, timeout=120)
    p = subprocess.run([sys.executable, "-B", os.path.join(SRC, "test/net/mrt_expect.py"), "--mrt", FILE, "--routes", path],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    check(p.returncode == 0, "mrt_expect: " + p.stdout.decode()[-2000:])
    load.proc.terminate()
    rc, _ = load.finish()
    equal(rc, 0, "ternload's verdict: " + load.said())
    d.stop()


if not DATA:
    cannot_here("TERN_DATA does not name the folder with the recorded updates")
if not os.path.exists(FILE):
    cannot_here("no " + FILE)
if not shutil.which("bgpdump"):
    note("bgpdump is not installed")
    sys.exit(77)
case("as recorded", run)
case("in another order between the peers", run, "--shuffle", "7")
done()
