# SPDX-License-Identifier: GPL-3.0-or-later
"""More than the best path of a net: add-path either way, `secondary`, and both; after the feed, flaps, changes,
members that go and return, and refreshes, every member holds exactly what it must."""

import harness
from harness import *

import namespace

real_if_long()

STEPS = ("announce,settle=300,flap=20,churn=500,settle=300,drop=3,settle=300,die=2,settle=300,join,settle=300,"
         "refresh=3,settle=300")
CLIENTS = 8


def sizes():
    return dict(nets=20000 if SOAK else 1500, seed=SEED)


def play(kind, direct, more):
    if kind == "bird2" and not os.access(shutil.which("bird") or "/usr/sbin/bird", os.X_OK):
        needs("bird2")
    harness.KIND = kind
    options = load_options(free_port(), CLIENTS, **sizes(), **more) + (namespace.lan() if direct else [])
    d = Daemon(load_conf(options)).start()
    # bird2 withdraws what came and went before it was sent; ternd must not.
    tolerant = ["--allow-unknown"] if kind == "bird2" and more.get("add_paths") in ("tx", "on") else []
    load_run(options + tolerant, 60, STEPS)
    d.stop()


in_namespace()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for name in ("bird2", "ternd") if KIND == "ternd" else (KIND,):
    for title, direct, more in (
            ("add paths tx, control communities, some without", False,
             dict(add_paths="tx", own_filter=True, no_add_paths=3, family="both")),
            ("add paths rx, four a member", False, dict(add_paths="rx", paths=4)),
            ("add paths on, three a member", False, dict(add_paths="on", paths=3)),
            ("secondary", True, dict(secondary=True)),
            ("secondary, control communities", True, dict(secondary=True, own_filter=True, family="both")),
            ("secondary and add paths, some without", True,
             dict(secondary=True, add_paths="on", paths=3, own_filter=True, no_add_paths=3))):
        one = bird_case if name == "bird2" else case
        one("%s: %s" % (name, title), play, name, direct, more)
done()
