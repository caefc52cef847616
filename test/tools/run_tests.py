# SPDX-License-Identifier: GPL-3.0-or-later
"""Run test programs and scripts, one or several at a time, and count them.

    run_tests.py NAME...      NAME: a program, below the build folder, or a script (ends in .sh);
                              SCRIPT.sh@CASE: those of its cases that TERN_CASE=CASE chooses
    run_tests.py --plan FILE  the tests of several builds, as FILE lists them

A plan has a line for each fact. The lines behind a "part" line belong to that part:

    part NAME FOLDER DONE     a build in FOLDER. The tests start when file DONE exists. DONE holds the exit status of
                              the build; with another status than 0 all tests of the part fail together
    env NAME=VALUE            in the environment of the tests
    before WORD...            a command that runs the tests (setarch -R)
    test NAME                 NAME as above; an absolute path names a script
    alone NAME                a test that runs alone, when all other tests have ended

A test of a plan is called PART/NAME.

A line for each test: "ok NAME (3 s)", "FAIL NAME (why)" with the output below, "skip NAME (why)". The last line is "12
passed, 0 failed, 0 skipped". Exit status 1 if a test failed. A line "... " with what runs, the time so far and the time
left comes every TERN_STATUS_S seconds (15).

test/tools/durations.txt holds two figures of each test: its duration, and the processor time of its processes.
TERN_TIMES=FILE adds the figures of this run to FILE. The runner uses the figures as follows:
  - The longest tests start first.
  - The load of a test is its processor time divided by its duration. A test starts only if the loads of all running
    tests together stay within LOAD_MAX times the number of processors, so that no test delays another test for long.
    One test always runs. As long as a part of a plan is built, half of the processors belong to the build.

A failed test runs once more, alone, when all other tests have ended. Its first run shows "again NAME (why)" with the
output below; the output stays in test/log/NAME.first.log. If the second run passes, the test counts as passed, and a
line "flaky NAME (why; LOG)" stands before the last line. TERN_FLAKY_MAX flaky tests (2) are forgiven; more count as one
failure. Three kinds of failure are never repeated, because a second run could only hide them: a sanitizer's report, a
failed assertion of the product, and a failure in virtual time, whose log names the seed. A test in virtual time that
the runner ends after too long prints the seed at SIGTERM.

A test says that it cannot run here by exit status 77; its last line of output is why. A test that passes may have left
out single cases: "skip NAME: CASE (why)" follows, and the cases are counted, too. A test that fails and then is skipped
has failed.

Environment: TERN_SRCDIR, TERN_BUILDDIR; TERN_TEST_TIMEOUT: seconds for each test (120); TERN_TEST_JOBS: how many tests
run at a time at most (1); TERN_PART: name of the build in durations.txt (release). Lines come in the order in which
tests end."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import waits  # noqa: E402

SRC = os.path.abspath(os.environ.get("TERN_SRCDIR") or ".")
BUILD = os.path.abspath(os.environ.get("TERN_BUILDDIR") or ".")
LIMIT_S = float(os.environ.get("TERN_TEST_TIMEOUT") or 120)
JOBS = max(1, int(os.environ.get("TERN_TEST_JOBS") or 1))
CPUS = len(os.sched_getaffinity(0))
# A load is a mean: tests wait at other times than other tests.
LOAD_MAX = 1.25
STATUS_S = float(os.environ.get("TERN_STATUS_S") or 15)
DURATIONS = os.path.join(SRC, "test/tools/durations.txt")
# Reports of a sanitizer, of lib/base/check.c, and of the simulated world.
NEVER_AGAIN = re.compile(
    r"(ERROR|WARNING): [A-Za-z]*Sanitizer|: runtime error: |: check failed: |; replay: (\S*sim --seed|TERN_SIM_SEED)"
    r"|^replay: |^FAIL accepted: ",
    re.M,
)
# Scripts that run the simulated world and nothing else.
VIRTUAL = ("check_pairs", "check_sim", "check_stories", "check_traces")
DEFAULTS = {
    # In a unity build a test may have a second copy of a variable (Makefile.in, UNITY_TEST_FLAGS).
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:detect_odr_violation=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:suppressions=%s/test/tools/tsan.supp" % SRC,
}


class Part:
    """A build and how its tests run. @done: the file that the build leaves, None if the build is there. @rc: the exit
    status of the build, None while the build goes on."""

    def __init__(self, name, folder=BUILD, done=None):
        self.name, self.folder, self.done = name, folder, done
        self.rc = None if done else 0
        self.env, self.before = {}, []
        self.durations = Durations(name)

    def look(self):
        """Returns: whether the build has ended since the last look."""
        if self.rc is not None or not os.path.exists(self.done):
            return False
        with open(self.done) as f:
            self.rc = int(f.read() or 1)
        return True


class Test:
    def __init__(self, part, name, alone=False, several=False):
        self.part, self.name, self.alone = part, name, alone
        path, _, self.case = name.partition(".sh@") if ".sh@" in name else (name, "", "")
        self.script = name.endswith(".sh") or bool(self.case)
        self.path = path + ".sh" if self.case else path
        self.key = re.sub(r"\.sh$", "", os.path.basename(self.path))
        self.label = "%s/%s" % (part.name, self.key) if several else self.key
        # A program of test/unit and a script of test/net may have one name.
        self.log = os.path.join(part.folder, "test/log", self.key + (".log" if self.script else ".program.log"))
        self.began = None
        self.proc = None
        self.took_s = 0
        self.cpu_s = 0

    def argv(self):
        if self.script:
            # An executable script says itself which shell it wants.
            return self.part.before + ([self.path] if os.access(self.path, os.X_OK) else ["sh", self.path])
        if "/fuzz_" in self.path:
            return self.part.before + [
                "./" + self.path,
                os.path.join(SRC, "test/fuzz/corpus", self.key[len("fuzz_") :]),
            ]
        return self.part.before + ["./" + self.path]

    def env(self):
        env = dict(
            os.environ,
            TERN_SRCDIR=SRC,
            TERN_BUILDDIR=self.part.folder,
            TERN_TEST_TIMEOUT="%g" % LIMIT_S,
            CMOCKA_MESSAGE_OUTPUT="stdout",
        )
        env.update(self.part.env)
        for key, value in DEFAULTS.items():
            env.setdefault(key, value)
        if self.case:
            env["TERN_CASE"] = self.case
        return env

    def run(self):
        """Returns: why the test failed; None: it passed; or ("skip", why)."""
        self.began = time.monotonic()
        with open(self.log, "wb") as out:
            try:
                self.proc = subprocess.Popen(
                    self.argv(),
                    env=self.env(),
                    cwd=self.part.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
            except OSError as e:
                return str(e)
        timers = [
            threading.Timer(LIMIT_S, self.end_group, [signal.SIGTERM]),
            threading.Timer(LIMIT_S + 5, self.end_group, [signal.SIGKILL]),
        ]
        for t in timers:
            t.start()
        _, status, used = os.wait4(self.proc.pid, 0)
        for t in timers:
            t.cancel()
        self.took_s = time.monotonic() - self.began
        self.cpu_s = used.ru_utime + used.ru_stime
        rc = self.proc.returncode = os.waitstatus_to_exitcode(status)
        why = None if rc == 0 else "exit status %d" % (rc if rc > 0 else 128 - rc)
        if self.took_s >= LIMIT_S:
            rc, why = -1, "no end after %g s" % LIMIT_S
            self.await_group(2)  # processes of the test that print why
        self.end_group(signal.SIGKILL)  # what the test left behind
        if rc == 77:
            return "skip", (self.lines() or [""])[-1]
        return why

    def end_group(self, sig):
        try:
            os.killpg(self.proc.pid, sig)
        except (ProcessLookupError, PermissionError):
            pass

    def await_group(self, most_s):
        """Wait until no process of the test is left, at most @most_s seconds."""

        def is_gone():
            try:
                os.killpg(self.proc.pid, 0)
            except (ProcessLookupError, PermissionError):
                return True
            return False

        waits.happens(is_gone, most_s)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def lines(self):
        return self.text().splitlines()

    def tail(self, lines=None):
        return ["    " + line for line in (self.lines() if lines is None else lines)[-200:]]

    def left_out(self):
        """A line for each case that was left out. A session test says "skip CASE (why)"; cmocka says so at the case, in
        a line behind that of unit_cannot_here, and once more at the end."""
        found, said, why = [], {}, ""
        for line in self.lines():
            case = re.match(r"\[  SKIPPED \] ([A-Za-z0-9_]+)$", line)
            if re.match(r"skip .*\)$", line):
                found.append("skip %s: %s" % (self.label, line[len("skip ") :]))
            elif line.startswith("cannot here: "):
                why = line
            elif case:
                said[case.group(1)] = said.get(case.group(1)) or why
                why = ""
        return found + ["skip %s: %s (%s)" % (self.label, name, why or "no reason") for name, why in said.items()]

    # The figures of durations.txt.

    def known_s(self):
        """Returns: the duration; None: durations.txt lacks the test."""
        return self.part.durations.known.get(self.key, (None,))[0]

    def guess_s(self):
        known = self.known_s()
        return 1.0 if known is None else known

    def guess_cpu_s(self):
        return self.part.durations.known.get(self.key, (1.0, 0.5))[1]

    def load(self):
        """Returns: how many processors the test keeps busy. A test of less than a second keeps one busy, an unknown
        test half of one."""
        took, cpu = self.part.durations.known.get(self.key, (1.0, 0.5))
        return cpu / took if took >= 1 else 1.0


class Durations:
    """The rows of durations.txt of a part: PART TEST DURATION PROCESSOR-TIME, both in seconds."""

    def __init__(self, part):
        self.known = {}
        try:
            with open(DURATIONS) as f:
                for line in f:
                    words = line.split()
                    if len(words) == 4 and words[0] == part:
                        self.known[words[1]] = float(words[2]), float(words[3])
        except OSError:
            pass


class Run:
    def __init__(self, parts, tests):
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)  # of parts, waiting and running
        self.parts = parts
        self.waiting = [t for t in tests if not t.alone]
        self.alone = [t for t in tests if t.alone]
        if JOBS > 1:  # unknown tests first: they may be long
            self.waiting.sort(key=lambda t: -(1e9 if t.known_s() is None else t.known_s()))
        self.total = len(tests)
        self.running, self.again, self.done = [], [], []
        self.results = {"ok": 0, "FAIL": 0, "skip": 0}
        self.flaky = []
        self.began = time.monotonic()
        self.ended = threading.Event()

    def say(self, *lines):
        with self.lock:
            for line in lines:
                word = line.split(" ", 1)[0]
                if word in self.results:
                    self.results[word] += 1
                print(line, flush=True)

    def left_s(self):
        now = time.monotonic()
        waits_s = [t.guess_s() for t in self.waiting]
        runs_s = [max(0, t.guess_s() - (now - t.began)) for t in self.running]
        cpu_s = sum(t.guess_cpu_s() for t in self.waiting) + sum(
            min(left, t.guess_cpu_s()) for left, t in zip(runs_s, self.running)
        )
        pool_s = max([sum(waits_s + runs_s) / JOBS, cpu_s / CPUS] + waits_s + runs_s)
        return pool_s + sum(t.guess_s() for t in self.alone)

    def await_builds(self):
        while any(p.rc is None for p in self.parts) and not self.ended.wait(0.2):
            with self.changed:
                for p in self.parts:
                    if p.look():
                        self.take_build(p)
                        self.changed.notify_all()

    def take_build(self, part):
        """A build has ended. The caller holds the lock."""
        print("... the build of part %s has ended" % part.name, flush=True)
        if part.rc == 0:
            os.makedirs(os.path.join(part.folder, "test/log"), exist_ok=True)
            return
        lost = [t for t in self.waiting + self.alone if t.part is part]
        self.waiting = [t for t in self.waiting if t.part is not part]
        self.alone = [t for t in self.alone if t.part is not part]
        self.total -= len(lost)
        self.results["FAIL"] += 1
        print("FAIL %s (%d tests were not run: the build failed)" % (part.name, len(lost)), flush=True)

    def status(self):
        while not self.ended.wait(STATUS_S):
            now = time.monotonic()
            with self.lock:
                who = ", ".join(
                    ["%s %d s" % (t.label, now - t.began) for t in self.running]
                    + ["build of %s" % p.name for p in self.parts if p.rc is None][:1]
                )
                print(
                    "... %d s, %d of %d done, about %d s left: %s"
                    % (now - self.began, len(self.done), self.total, self.left_s(), who),
                    flush=True,
                )

    def first(self, test):
        why = test.run()
        if why is None:
            self.say("ok %s (%d s)" % (test.label, test.took_s), *test.left_out())
        elif isinstance(why, tuple):
            self.say("skip %s (%s)" % (test.label, why[1]))
        elif test.key in VIRTUAL or os.path.exists(test.log) and NEVER_AGAIN.search(test.text()):
            self.say("FAIL %s (%s)" % (test.label, why), *test.tail())
        else:
            first = re.sub(r"\.log$", ".first.log", test.log)
            lines = test.lines() if os.path.exists(test.log) else []
            if os.path.exists(test.log):
                os.replace(test.log, first)
            with self.lock:
                self.again.append((test, why, first))
            self.say("again %s (%s)" % (test.label, why), *test.tail(lines))

    def second(self, test, first_why, first_log):
        why = test.run()
        if why is None:
            self.say("ok %s (%d s)" % (test.label, test.took_s), *test.left_out())
            self.flaky.append("flaky %s (%s; %s)" % (test.label, first_why, first_log))
        elif isinstance(why, tuple):
            self.say("FAIL %s (%s; the second run was skipped: %s)" % (test.label, first_why, why[1]))
        else:
            self.say("FAIL %s (%s)" % (test.label, why), *test.tail())

    def next(self):
        """Returns: the longest test whose load the processors can still take; None: no such test. The caller holds the
        lock."""
        builds = any(p.rc is None for p in self.parts)
        room = LOAD_MAX * (CPUS - (CPUS // 2 if builds else 0)) - sum(t.load() for t in self.running)
        for i, t in enumerate(self.waiting):
            if t.part.rc == 0 and (not self.running or t.load() <= room):
                return self.waiting.pop(i)
        return None

    def work(self):
        while True:
            with self.changed:
                test = self.next()
                while test is None:
                    if not self.waiting:
                        return
                    self.changed.wait()
                    test = self.next()
                test.began = time.monotonic()
                self.running.append(test)
            try:
                self.first(test)
            except Exception as e:  # the runner itself; the test has no result
                self.say("FAIL %s (run_tests: %r)" % (test.label, e))
            finally:
                with self.changed:
                    self.running.remove(test)
                    self.done.append(test)
                    self.changed.notify_all()

    def whole(self):
        threading.Thread(target=self.status, daemon=True).start()
        for p in self.parts:
            if p.rc == 0:
                os.makedirs(os.path.join(p.folder, "test/log"), exist_ok=True)
        builds = threading.Thread(target=self.await_builds)
        builds.start()
        workers = [threading.Thread(target=self.work) for _ in range(JOBS)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        builds.join()
        while self.alone:
            test = self.alone.pop()
            self.running.append(test)
            self.first(test)
            self.running.clear()
            self.done.append(test)
        for one in list(self.again):
            self.running.append(one[0])
            self.second(*one)
            self.running.clear()
        self.ended.set()
        self.note_times()
        for line in self.flaky:
            print(line)
        if len(self.flaky) > int(os.environ.get("TERN_FLAKY_MAX") or 2):
            self.say("FAIL run_tests (%d flaky tests)" % len(self.flaky))
        if time.monotonic() - self.began > 60:
            slowest = sorted(self.done, key=lambda t: -t.took_s)[:10]
            print("slowest: " + ", ".join("%s %d s" % (t.label, t.took_s) for t in slowest))
        for p in self.parts if len(self.parts) > 1 else []:
            ran = [t for t in self.done if t.part is p]
            print("%s: %d tests, %d s of processor time" % (p.name, len(ran), sum(t.cpu_s for t in ran)))
        r = self.results
        print("%d passed, %d failed, %d skipped" % (r["ok"], r["FAIL"], r["skip"]), flush=True)
        return r["FAIL"] == 0

    def note_times(self):
        path = os.environ.get("TERN_TIMES")
        if not path:
            return
        rows = {}
        if os.path.exists(path):
            with open(path) as f:
                rows = {tuple(line.split()[:2]): line.split()[2:] for line in f if len(line.split()) == 4}
        for t in self.done:
            rows[t.part.name, t.key] = "%.1f" % t.took_s, "%.1f" % t.cpu_s
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(path)), delete=False) as f:
            f.writelines("%s %s %s %s\n" % (*key, *rows[key]) for key in sorted(rows))
        os.chmod(f.name, 0o644)
        os.replace(f.name, path)

    def stop(self, _sig, _frame):
        """Whoever ends this program ends the tests and what they started."""
        for t in list(self.running):
            if t.proc and t.proc.poll() is None:
                t.end_group(signal.SIGTERM)
        waits.happens(lambda: all(t.proc is None or t.proc.poll() is not None for t in list(self.running)), 5)
        for t in list(self.running):
            if t.proc and t.proc.poll() is None:
                t.end_group(signal.SIGKILL)
        os._exit(143)


def read_plan(path):
    """Returns: the parts and the tests of a plan."""
    parts, tests = [], []
    with open(path) as f:
        for line in f:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "part":
                parts.append(Part(*rest.split(" ")))
            elif word == "env":
                name, _, value = rest.partition("=")
                parts[-1].env[name] = value
            elif word == "before":
                parts[-1].before = rest.split(" ")
            elif word in ("test", "alone"):
                tests.append(Test(parts[-1], rest, alone=word == "alone", several=True))
            else:
                sys.exit("%s: unknown line '%s'" % (path, line.rstrip("\n")))
    return parts, tests


def main():
    if sys.argv[1:2] == ["--plan"]:
        run = Run(*read_plan(sys.argv[2]))
    else:
        part = Part(os.environ.get("TERN_PART") or "release")
        run = Run([part], [Test(part, n) for n in sys.argv[1:]])
    for sig in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(sig, run.stop)
    sys.exit(0 if run.whole() else 1)


main()
