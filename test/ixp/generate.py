# SPDX-License-Identifier: GPL-3.0-or-later
"""Have arouteserver make configurations from the policies. Runs in the Python that has it.

    generate.py FOLDER POLICY... -- TARGET...      writes FOLDER/POLICY-TARGET.conf and FOLDER/POLICY.json
    generate.py FOLDER --large N -- TARGET...      the policy strict with N members: as-large-TARGET.conf
"""

import json
import os
import shutil
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
import yaml

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
import irr


def arouteserver(words, folder, limit_s=1500):
    """Run the command of these words in a child, which has the modules of this process: importing the modules takes as
    long as writing a configuration. Returns: the exit status, what the child printed."""
    import pierky.arouteserver.cli

    with tempfile.TemporaryFile("w+", errors="replace") as said:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                os.chdir(folder)
                signal.alarm(limit_s)
                sys.argv = ["arouteserver"] + words
                code = pierky.arouteserver.cli.main()
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said.seek(0)
        return code, said.read()


def settle(out):
    """The program's own settings: no network, registry data from the program beside this one."""
    import pierky.arouteserver

    where = os.path.dirname(pierky.arouteserver.__file__)
    conf = os.path.join(out, "arouteserver.yml")
    with open(conf, "w") as f:
        yaml.safe_dump(
            {
                "cfg_dir": out,
                "logging_config_file": os.path.join(where, "config.d", "log.ini"),
                "cfg_bogons": os.path.join(HERE, "bogons.yml"),
                "templates_dir": os.path.join(where, "templates"),
                "bgpq3_path": os.path.join(HERE, "bgpq4"),
                "rtt_getter_path": os.path.join(HERE, "rtt"),
                "bgpq3_host": "localhost",
                "check_new_release": False,
                "threads": 2,
            },
            f,
        )
    shutil.rmtree(os.path.join(out, "cache"), ignore_errors=True)
    return conf


def read(path):
    with open(path) as f:
        return yaml.safe_load(f)


def make(out, conf, general, clients, target, name, more=()):
    cache = os.path.join(out, "cache", name)
    os.makedirs(cache, exist_ok=True)
    path = os.path.join(out, "%s-%s.conf" % (name, target))
    code, said = arouteserver(
        [
            "bird",
            "--cfg",
            conf,
            "--general",
            general,
            "--clients",
            clients,
            "--cache-dir",
            cache,
            "--target-version",
            target,
            "--ignore-issues",
            "*",
            "-o",
            path,
            "--logging-level",
            "ERROR",
        ]
        + list(more),
        out,
    )
    if code != 0:
        sys.exit("arouteserver: %s, target %s: %s" % (name, target, said[-3000:]))
    return path


def large(out, conf, count, targets):
    clients = os.path.join(out, "clients.yml")
    with open(clients, "w") as f:
        yaml.safe_dump(
            {
                "clients": [
                    {
                        "asn": 131072 + i,
                        "ip": ["192.0.%d.%d" % (3 + i // 250, 1 + i % 250), "2001:db8:1:1::%x" % (256 + i)],
                    }
                    for i in range(count)
                ]
            },
            f,
        )
    with open(os.path.join(out, "roas.json"), "w") as f:
        json.dump({"roas": irr.roas(range(131072, 131072 + count))}, f)
    for target in targets:
        make(out, conf, os.path.join(HERE, "policy", "strict", "general.yml"), clients, target, "as-large")


def main(argv):
    out = os.path.abspath(argv[0])
    split = argv.index("--")
    names, targets = argv[1:split], argv[split + 1 :]
    os.makedirs(out, exist_ok=True)
    conf = settle(out)
    if names[0] == "--large":
        large(out, conf, int(names[1]), targets)
        return
    for name in names:
        where = os.path.join(HERE, "policy", name)
        general, clients = read(where + "/general.yml"), read(where + "/clients.yml")
        with open(os.path.join(out, name + ".json"), "w") as f:
            json.dump(
                {
                    "cfg": general["cfg"],
                    "clients": clients["clients"],
                    "asns": clients.get("asns", {}),
                    "bogons": read(os.path.join(HERE, "bogons.yml"))["bogons"],
                },
                f,
            )
        with open(os.path.join(out, "roas.json"), "w") as f:
            json.dump({"roas": irr.roas(sorted({c["asn"] for c in clients["clients"]}))}, f)
        more = ["--perform-graceful-shutdown"] if name == "mixed" else []
        for target in targets:
            make(out, conf, where + "/general.yml", where + "/clients.yml", target, name, more)


if __name__ == "__main__":
    main(sys.argv[1:])
