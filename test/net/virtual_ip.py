# SPDX-License-Identifier: GPL-3.0-or-later
"""ip(8) and nsenter(1) in the simulated world (virtual.py): commands of tests become changes of the interfaces that
test/sim/link.c keeps. A command that this file does not know raises NotVirtual.

Routes that a test adds change nothing: each address of the world is reachable from each host (link.c, I2). `ip route
show` prints the routes of daemons (kroutes.c)."""

import json
import re
import shlex
import subprocess

HOST_PID = 9 * 10**6  # of the process that stands for a host; host 0 is the test's own
world = None
NotVirtual = None


class Host:
    """A process in a network namespace of its own, as other_namespace() returns one."""

    cnt = 0
    returncode = None

    def __init__(self):
        Host.cnt += 1
        self.pid = HOST_PID + Host.cnt
        change(Host.cnt, "add", "lo")

    def poll(self):
        return None


def host_of(argv):
    """(host, the command to run there), of a command that may begin with nsenter."""
    argv = list(argv)
    if argv[:2] == ["nsenter", "-t"] and argv[3:4] == ["-n"] and int(argv[2]) > HOST_PID:
        return int(argv[2]) - HOST_PID, argv[4:]
    return 0, argv


def change(host, *words):
    world.call_link(host, words)


def links(host):
    """[{name, ifindex, up, runs, mtu, pair, addresses: [(address, length, peer)]}]"""
    found = []
    for line in world.links(host).splitlines():
        w = line.split()
        if line.startswith(" "):
            found[-1]["addresses"].append((w[0], int(w[1]), w[2]))
        else:
            found.append(
                {
                    "ifindex": int(w[0]),
                    "name": w[1],
                    "up": w[2] == "up",
                    "runs": w[3] == "runs",
                    "mtu": int(w[4]),
                    "pair": w[5],
                    "addresses": [],
                }
            )
    return found


def index_of(name):
    for host in range(Host.cnt + 1):
        for link in links(host):
            if link["name"] == name:
                return link["ifindex"]
    raise OSError(19, "no interface with this name")


# --- ip ---


class Failure(Exception):
    pass


def unknown(words):
    raise NotVirtual("ip " + " ".join(words))


def take(words, name):
    """The value behind a key word, which goes; None: there is none."""
    if name not in words:
        return None
    at = words.index(name)
    value = words[at + 1]
    del words[at : at + 2]
    return value


def drop(words, *names):
    for name in names:
        if name in words:
            words.remove(name)


def split_address(text):
    address, _, length = text.partition("/")
    return address, int(length) if length else 128 if ":" in address else 32


def link_add(host, words):
    drop(words, "dev", "name")
    kind = take(words, "type")
    if kind == "veth" and words[1:3] == ["peer", "name"] and len(words) == 4:
        change(host, "add", words[0], words[3])
    elif kind == "veth" and words[1:2] == ["peer"] and len(words) == 3:
        change(host, "add", words[0], words[2])
    elif kind in ("dummy", "bridge") and len(words) == 1:
        change(host, "add", words[0])
    else:
        unknown(["link", "add"] + words)


def link_set(host, words):
    drop(words, "dev")
    name, words = words[0], words[1:]
    while words:
        key, value = words[0], words[1] if len(words) > 1 else ""
        if key in ("up", "down"):
            change(host, key, name)
            words = words[1:]
            continue
        if key == "name":
            change(host, "rename", name, value)
            name = value
        elif key == "netns" and value.isdigit() and int(value) > HOST_PID:
            change(host, "move", name, str(int(value) - HOST_PID))
        elif key == "mtu":
            change(host, "mtu", name, value)
        elif key == "addrgenmode":
            change(host, "generates", name, "0" if value == "none" else "1")
        else:
            unknown(["link", "set"] + words)
        words = words[2:]


def address_change(host, verb, words):
    drop(words, "nodad", "noprefixroute", "local")
    dev, peer = take(words, "dev"), take(words, "peer")
    if len(words) != 1 or not dev:
        unknown(["address", verb] + words)
    address, length = split_address(words[0])
    if peer:
        peer, length = split_address(peer)
    if verb in ("del", "delete"):
        change(host, "drop", dev, address, str(length) if "/" in words[0] else "-1")
        return
    try:
        change(host, "address", dev, address, str(length), *([peer] if peer else []))
    except Failure:
        if verb == "add":
            raise


def neighbor_change(host, verb, words):
    drop(words, "to")
    words = list(words)
    dev, mac, state = take(words, "dev"), take(words, "lladdr"), take(words, "nud")
    if len(words) != 1 or not dev or state not in (None, "permanent", "reachable", "stale", "failed"):
        unknown(["neigh", verb] + words)
    if verb in ("add", "replace", "change"):
        change(host, "neighbor", dev, words[0], *([mac] if mac and state != "failed" else []))
    elif verb in ("del", "delete"):
        change(host, "forget", dev, words[0])
    else:
        unknown(["neigh", verb] + words)


def address_flush(host, words):
    drop(words, "dev")
    for link in links(host):
        if [link["name"]] == words:
            for address, length, _ in link["addresses"]:
                try:
                    change(host, "drop", link["name"], address, str(length))
                except Failure:  # a secondary address that went with its primary
                    pass
            return
    raise Failure("Device does not exist")


def scope_of(address):
    return (
        "link"
        if address.startswith("fe80:")
        else "host" if address.startswith("127.") or address == "::1" else "global"
    )


def show(host, words, flags, with_addresses):
    """What ip says of interfaces: as JSON, or one line an address."""
    words = list(words)
    drop(words, "dev") if words[:1] == ["dev"] else None
    drop(words, "tentative") if (is_tentative := "tentative" in words) else None
    scope, dev, only_up = take(words, "scope"), take(words, "dev"), "up" in words
    drop(words, "up")
    dev = dev or (words.pop(0) if words else None)
    if words:
        unknown(["show"] + words)
    found = [link for link in links(host) if dev in (None, link["name"]) and (link["up"] or not only_up)]
    if dev and not found:
        raise Failure("Device \"%s\" does not exist." % dev)
    if is_tentative:
        return ""

    def listed(link):
        return [
            (a, n)
            for a, n, _ in link["addresses"]
            if not ("-4" in flags and ":" in a or "-6" in flags and ":" not in a) and scope in (None, scope_of(a))
        ]

    if "-o" in flags and with_addresses:
        return "".join(
            "%d: %s    inet%s %s/%d scope %s\n"
            % (link["ifindex"], link["name"], "6" if ":" in a else "", a, n, scope_of(a))
            for link in found
            for a, n in listed(link)
        )
    if "unread" in flags and dev:
        return ""
    if not flags & {"-json", "-j"}:
        unknown(["show", dev or ""])
    return json.dumps(
        [
            {
                "ifindex": link["ifindex"],
                "ifname": link["name"],
                "mtu": link["mtu"],
                "operstate": "UP" if link["runs"] else "DOWN",
                "addr_info": [
                    {"local": a, "prefixlen": n, "family": "inet6" if ":" in a else "inet", "scope": scope_of(a)}
                    for a, n in listed(link)
                ],
            }
            for link in found
        ]
    )


def one(host, words, flags):
    """Run one command of ip. Returns: what it prints."""
    words = list(words)
    kind, verb, rest = words[0], words[1] if len(words) > 1 else "show", words[2:]
    if kind in ("link", "l"):
        if verb in ("show", "list"):
            return show(host, rest, flags, False)
        if verb in ("del", "delete"):
            drop(rest, "dev")
            change(host, "delete", rest[0])
        elif verb in ("add", "set"):
            (link_add if verb == "add" else link_set)(host, rest)
        else:
            unknown(words)
    elif kind in ("addr", "address", "a"):
        if verb in ("show", "list"):
            return show(host, rest, flags, True)
        if verb in ("add", "replace", "change", "del", "delete"):
            address_change(host, verb, rest)
        elif verb == "flush":
            address_flush(host, rest)
        else:
            unknown(words)
    elif kind in ("neigh", "neighbor", "n"):
        neighbor_change(host, verb, rest)
    elif kind in ("route", "r") and verb in ("show", "list"):
        return routes_show(rest, flags)
    elif kind in ("route", "r") and verb == "flush" and rest[:1] == ["table"] and len(rest) == 2:
        change(host, "flush", rest[1])
    elif (
        kind in ("route", "r")
        and verb in ("add", "replace", "del", "delete")
        and not {"table", "proto", "vrf"} & set(rest)
    ):
        pass
    else:
        unknown(words)
    return ""


def ip(host, words, text, is_read=True):
    """@is_read: somebody reads stdout. Returns: (exit status, stdout, stderr)."""
    flags, words = set() if is_read else {"unread"}, list(words)
    while words and words[0].startswith("-") and words[0] not in ("-batch", "-b"):
        if words[0] not in ("-4", "-6", "-o", "-json", "-j", "-force"):
            unknown(words)
        flags.add(words.pop(0))
    is_batch = words[:1] in (["-batch"], ["-b"])
    if is_batch and words[1:] != ["-"]:
        unknown(words)
    out = ""
    for line in (text or "").splitlines() if is_batch else [None]:
        w = words if line is None else shlex.split(line, comments=True)
        try:
            out += one(host, w, flags) if w else ""
        except Failure as e:
            if not (is_batch and "-force" in flags):
                return 1 if is_batch else 2, out, "RTNETLINK answers: %s\n" % e
    return 0, out, ""


# --- routes ---

PROTOCOLS = {"2": "kernel", "3": "boot", "4": "static", "12": "bird"}


def route_line(line):
    """A line of kroutes_show (test/sim/kroutes.c) as ip prints the route."""
    prefix, _, table, text = line.split(" ", 3)
    text, _, metric, _, protocol = text.rsplit(" ", 4)
    address, length = split_address(prefix)
    if length == (128 if ":" in address else 32):
        prefix = address
    kind, hops = "", []
    words = text.split()
    while words:
        if words[0] in ("via", "dev"):
            if words[0] == "via" or not hops or "dev" in hops[-1]:
                hops.append([])
            hops[-1] += words[:2]
            words = words[2:]
        elif words[0] == "weight":
            hops[-1] += words[:2]
            words = words[2:]
        else:
            kind = words.pop(0) + " "
    where = "" if table == "254" else " table " + table
    facts = "%s proto %s%s" % (where, PROTOCOLS.get(protocol, protocol), " metric " + metric if metric != "0" else "")
    if any("weight" in hop for hop in hops):
        return "%s%s%s \n" % (kind, prefix, facts) + "".join("\tnexthop %s \n" % " ".join(hop) for hop in hops)
    return "%s%s%s%s \n" % (kind, prefix, "".join(" " + " ".join(hop) for hop in hops), facts)


def routes_show(words, flags):
    """@words: "table all" or "table N"."""
    if len(words) != 2 or words[0] != "table":
        unknown(["route", "show"] + words)
    return "".join(
        route_line(line)
        for line in world.routes().splitlines()
        if words[1] in ("all", line.split()[2]) and (":" in line.split()[0]) == ("-6" in flags)
    )


# --- processes ---


def unwrapped(found):
    """The same commands, where `sh -c TEXT` is replaced by the commands of the text."""
    out = []
    for joint, words in found:
        host, rest = host_of(words)
        if rest[:2] != ["sh", "-c"] or len(rest) != 3:
            out.append((joint, words))
            continue
        prefix = words[: len(words) - 3]
        inner = parsed(rest[2])
        out += [(joint if k == 0 else j, prefix + w) for k, (j, w) in enumerate(inner)]
    return out


def parsed(text):
    """[(what joins it to the command before, words)] of a text of the shell."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found = [("", [])]
    for token in lexer:
        if token in (";", "&&", "||", "|", "&", ">", "<"):
            found.append((token, []))
        else:
            found[-1][1].append(token)
    return [f for f in found if f[1]]


def commands_of(args, shell):
    """[(what joins it to the command before, words)] if all are commands of ip; else None."""
    found = unwrapped(parsed(args) if shell else [("", [str(w) for w in args])])
    ours = [host_of(words)[1][:1] == ["ip"] for _, words in found]
    if not any(ours):
        return None
    if not all(ours) or any(joint not in ("", ";", "&&") for joint, _ in found):
        raise NotVirtual(str(args))
    return found


class Done:
    """Commands of ip that run when they are waited for, with the methods of subprocess.Popen that subprocess.run
    uses."""

    def __init__(self, args, found, kw):
        self.args, self.found, self.returncode = args, found, None
        self.is_text = any(kw.get(k) for k in ("text", "universal_newlines", "encoding", "errors"))
        self.pipes = kw.get("stdout") == subprocess.PIPE, kw.get("stderr") == subprocess.PIPE
        self.pid = HOST_PID
        self.stdin = self.stdout = self.stderr = None

    def communicate(self, input=None, timeout=None):
        text = input.decode() if isinstance(input, bytes) else input
        out = err = ""
        self.returncode = 0
        for joint, words in self.found:
            if joint == "&&" and self.returncode:
                continue
            host, rest = host_of(words)
            self.returncode, o, e = ip(host, rest[1:], text, self.pipes[0])
            out, err = out + o, err + e
        if err and not self.pipes[1]:
            print(err, end="", flush=True)
        return tuple((s if self.is_text else s.encode()) if pipe else None for s, pipe in zip((out, err), self.pipes))

    def poll(self):
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            self.communicate()
        return self.returncode

    def kill(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wait()


def begin(of_world, not_virtual):
    global world, NotVirtual
    world, NotVirtual = of_world, not_virtual
