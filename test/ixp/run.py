# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations as exchanges generate them: tern must take them and do what bird does with them.

    run.py [--policies A,B] [--targets T,U] [--seeds N] [--short] [--large [--members N]]

arouteserver (from PyPI, kept in a virtual environment below the build folder) makes configurations from the policies in
policy/. For each, bird and ternd serve the same members, who say the same (stimulus.py), each in network namespaces of
its own (player.py); whatever differs afterwards (compare.py) fails the test; ixpm.py makes some in the style of IXP
Manager. --short is what `make check` runs; --large adds files as large as those of large exchanges, which are only
parsed: how long that takes is told beside bird. """

import argparse
import concurrent.futures
import hashlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "net")]
from harness import *
import compare
import ixpm
import stimulus

AROUTESERVER = "arouteserver==1.27.0"
POLICIES = ["open", "strict", "tagging", "large", "mixed", "paths", "hiding", "ixpm4", "ixpm6", "ixpm-pipes4"]
TARGETS = ["2.0.11", "2.16", "3.0"]
SHORT = ["open", "strict", "large", "paths", "ixpm4"]
# What tern may still refuse, by policy. A refusal for any other reason fails.
LATER = {"hiding": "'extended next hop'"}
KEEPS = {"tagging": False, "ixpm4": False, "ixpm6": False, "ixpm-pipes4": False}  # these refuse nothing on the way in
BIRD = shutil.which("bird") or "/usr/sbin/bird"
CACHE = os.path.join(BUILD, "test", "ixp")


def quietly(argv, limit_s, **kw):
    return subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=limit_s, **kw
    )


def environment():
    """The Python of a virtual environment that has arouteserver."""
    venv = os.path.join(CACHE, "venv")
    python = os.path.join(venv, "bin", "python")
    done_mark = os.path.join(venv, "has-" + AROUTESERVER)
    if os.path.exists(done_mark):
        return python
    shutil.rmtree(venv, ignore_errors=True)
    os.makedirs(CACHE, exist_ok=True)
    # pip runs from Debian's wheel, so that pip itself need not be installed.
    wheels = glob.glob("/usr/share/python-wheels/pip-*.whl")
    r = quietly([sys.executable, "-m", "venv"] + (["--without-pip"] if wheels else []) + [venv], 120)
    if r.returncode != 0:
        note(r.stdout.decode(errors="replace")[-1000:])
        needs("python3-venv")
    try:
        r = quietly(
            [
                python,
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--quiet",
                "--retries",
                "2",
                "--timeout",
                "15",
                AROUTESERVER,
            ],
            300,
            env=dict(os.environ, PYTHONPATH=wheels[0]) if wheels else None,
        )
    except subprocess.TimeoutExpired:
        cannot_here("the package index doesn't answer")
    text = r.stdout.decode(errors="replace")
    if r.returncode != 0:
        note(text[-2000:])
        if re.search(
            r"NewConnectionError|ConnectTimeout|ReadTimeout|Max retries|Temporary failure in name|"
            r"ConnectionReset|ProxyError|No matching distribution found",
            text,
        ):
            cannot_here("the package index can't be reached")
        raise Failed("pip: can't install " + AROUTESERVER)
    open(done_mark, "w").close()
    return python


def inputs_hash(policy):
    h = hashlib.sha256(AROUTESERVER.encode())
    names = [os.path.join("policy", policy, n) for n in ("general.yml", "clients.yml")]
    for name in names + ["generate.py", "irr.py", "bgpq4", "rtt", "bogons.yml"]:
        with open(os.path.join(HERE, name), "rb") as f:
            h.update(f.read())
    return h.hexdigest()[:16]


def generated(policy, targets):
    """The folder that has the policy's configurations; made if it isn't there."""
    if policy.startswith("ixpm"):
        out = temp_dir()
        ixpm.make(out, policy)
        return out
    out = os.path.join(CACHE, policy + "-" + inputs_hash(policy))
    missing = [t for t in targets if not os.path.exists("%s/%s-%s.conf" % (out, policy, t))]
    if missing:
        targets = sorted(set(TARGETS + targets))  # all at once: a run with fewer doesn't drop the others
        work = out + ".new"
        shutil.rmtree(work, ignore_errors=True)
        r = quietly([environment(), os.path.join(HERE, "generate.py"), work, policy, "--"] + targets, 300)
        check(r.returncode == 0, r.stdout.decode(errors="replace")[-3000:])
        shutil.rmtree(out, ignore_errors=True)
        os.rename(work, out)
    return out


def parse(conf, name):
    """ternd -p. Returns: seconds; None if it refuses what it may still refuse."""
    began = time.monotonic()
    r = quietly([program("ternd"), "-p", "-c", conf], 60 * SLOW)
    took = time.monotonic() - began
    if r.returncode == 0:
        return took
    text = r.stdout.decode(errors="replace")
    errors = [l for l in text.splitlines() if l.startswith(conf)]
    later = LATER.get(name)
    if later and errors and all(re.search(later + " (is|are) not supported yet", l) for l in errors):
        return None
    raise Failed("%s is refused: %s" % (os.path.basename(conf), text[:1500]))


class Job:
    """One daemon with one configuration and one plan."""

    def __init__(self, kind, conf, plan, out):
        self.out = out
        argv = SPACE + [
            sys.executable,
            "-B",
            os.path.join(HERE, "player.py"),
            kind,
            BIRD if kind == "bird" else program("ternd"),
            conf,
            plan,
            out,
        ]
        self.argv = argv

    def run(self):
        r = quietly(self.argv, 150 * SLOW, env=dict(os.environ, TERN_SLOW=str(SLOW)))
        if r.returncode != 0:
            raise Failed(r.stdout.decode(errors="replace")[-6000:])
        return compare.load(self.out)


def show(lines, what):
    if lines:
        for l in lines[:60]:
            note("    " + l[:700])
        raise Failed("%s: ternd differs from bird (first | second)" % what)


def same(policy, where, confs, seed):
    """Serve the same members by bird with the oldest configuration and by ternd with each."""
    oldest = "%s/%s-%s.conf" % (where, policy, "2" if policy.startswith("ixpm") else TARGETS[0])
    with tempfile.TemporaryDirectory(prefix="tern-ixp.") as work:
        plan_path = os.path.join(work, "plan")
        plan = stimulus.make(os.path.join(where, policy + ".json"), plan_path, seed)
        jobs = [Job("bird", oldest, plan_path, os.path.join(work, "bird"))]
        jobs += [Job("ternd", c, plan_path, os.path.join(work, "ternd%d" % i)) for i, c in enumerate(confs)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            seen = list(pool.map(Job.run, jobs))
        for conf, got in zip(confs, seen[1:]):
            show(compare.compare(seen[0], got, plan), "%s, seed %d" % (os.path.basename(conf), seed))
        size = compare.measure(seen[0])
        for what, least in (("told", 1000), ("routes", 300), ("filtered", 100 if KEEPS.get(policy, True) else 0)):
            check(size[what] >= least, "only %d %s: nothing is shown by that" % (size[what], what))
        note("     %s: %s" % (policy, ", ".join("%d %s" % (n, k) for k, n in size.items())))


def one_policy(policy, targets, seeds):
    if policy.startswith("ixpm"):
        targets = ["2", "3"]
    where = generated(policy, targets)
    confs = [os.path.join(where, "%s-%s.conf" % (policy, t)) for t in targets]
    took = [parse(c, policy) for c in confs]
    if None in took:
        note("     %s: not taken yet (%s)" % (policy, LATER[policy]))
        return
    note("     %s: parsed in %s ms" % (policy, ", ".join("%.0f" % (1000 * t) for t in took)))
    for seed in seeds:
        same(policy, where, confs, seed)


def only_parsed(confs):
    took = [parse(c, "") for c in confs]
    began = time.monotonic()
    check(quietly([BIRD, "-p", "-c", confs[0]], 600).returncode == 0, "bird refuses " + confs[0])
    bird_s = time.monotonic() - began
    note(
        "     %.1f MB each: %s s; bird: %.2f s"
        % (os.path.getsize(confs[0]) / 1e6, ", ".join("%.2f" % t for t in took), bird_s)
    )


def as_large(targets, members):
    """Members with 2,000 prefixes each by arouteserver, which takes a minute for 70, ten for 700."""
    out = os.path.join(CACHE, "as-large-%d-%s" % (members, inputs_hash("strict")))
    confs = ["%s/as-large-%s.conf" % (out, t) for t in targets]
    if not all(os.path.exists(c) for c in confs):
        work = out + ".new"
        shutil.rmtree(work, ignore_errors=True)
        r = quietly(
            [environment(), os.path.join(HERE, "generate.py"), work, "--large", str(members), "--"] + targets,
            3000,
            env=dict(os.environ, TERN_IXP_PREFIXES="1000"),
        )
        check(r.returncode == 0, r.stdout.decode(errors="replace")[-3000:])
        shutil.rmtree(out, ignore_errors=True)
        os.rename(work, out)
    only_parsed(confs)


def ixpm_large():
    """700 members with 1,000 prefixes each and more."""
    out = temp_dir()
    os.environ["TERN_IXP_PREFIXES"] = "1000"
    ixpm.large(out, 700)
    del os.environ["TERN_IXP_PREFIXES"]
    only_parsed([os.path.join(out, "ixpm-large-%s.conf" % v) for v in ("2", "3")])


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--policies", default=",".join(POLICIES))
    p.add_argument("--targets", default=",".join(TARGETS))
    p.add_argument("--seeds", type=int, default=2)
    p.add_argument("--short", action="store_true")
    p.add_argument("--large", action="store_true")
    p.add_argument("--members", type=int, default=70)  # of the large file by arouteserver
    a = p.parse_args()
    if a.short:
        a.policies, a.seeds = ",".join(SHORT), 1
    return a


ARGS = arguments()
if not os.path.exists(BIRD):
    needs("bird2")
SPACE = new_namespace()
environment()
for name in ARGS.policies.split(","):
    case("policy " + name, one_policy, name, ARGS.targets.split(","), range(SEED, SEED + ARGS.seeds))
if ARGS.large:
    case("%d members by arouteserver" % ARGS.members, as_large, TARGETS, ARGS.members)
    case("700 members in the style of IXP Manager", ixpm_large)
done()
