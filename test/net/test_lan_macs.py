# SPDX-License-Identifier: GPL-3.0-or-later
"""`lan macs "FILE"`: `show lan` and `show health` compare the kernel's neighbors with the list: a wrong MAC address,
the MAC address of another member, a moved address, two routers with one address; `configure` with another list, without
a list, with wrong files; restarts. One case asks the neighbors of a real LAN."""

from links import *
from orders import SCHEMA, World

if KIND != "ternd":
    cannot_here("this is about ternd")
MAC = "02:00:00:00:00:%02x"


class Lan(World):
    """Members 1 to 3 with a list of MAC addresses. .list: the lines of the file."""

    def __init__(self, lines=None, **more):
        self.file = os.path.join(temp_dir(), "lan.macs")
        self.put(lines or ["127.0.11.%d %s" % (k, MAC % k) for k in (1, 2, 3)])
        super().__init__(**more)

    def put(self, lines):
        with open(self.file, "w") as f:
            f.write("".join(line + "\n" for line in lines))

    def conf(self, chan=None, skip=()):
        return super().conf(chan, skip).replace("protocol device", 'lan macs "%s";\nprotocol device' % self.file)

    def shown(self):
        """({address: (session, state, MAC address)}, the sum)"""
        objects = self.json("show lan")
        states = {o["address"]: (o.get("protocol"), o["state"], o.get("mac")) for o in objects if o["type"] == "lan"}
        return states, [(o["right"], o["wrong"], o["absent"]) for o in objects if o["type"] == "lan_sum"]

    def found(self):
        return {o.get("protocol"): o["text"] for o in self.json("show health") if o.get("kind") == "lan"}

    def finds(self, want, what):
        """want: {session: a part of the problem}"""
        wait_until(
            lambda: set(self.found()) == set(want) and all(t in self.found()[name] for name, t in want.items()),
            lambda: "%s: %r" % (what, self.found()),
        )


def neighbor(k, mac):
    ip("neigh replace 127.0.11.%d dev lan0 lladdr %s nud permanent" % (k, mac))


def begin(**more):
    ip("link add lan0 type dummy\nlink set lan0 up\n")
    return Lan(**more)


def table():
    w = begin()
    equal(w.shown()[1], [(0, 0, 3)], "no neighbor")
    neighbor(1, MAC % 1)
    neighbor(2, MAC % 3)
    neighbor(9, MAC % 9)
    w.finds({"m2": "127.0.11.2 has the MAC address " + MAC % 3}, "a wrong MAC address")
    check(", the MAC address of 127.0.11.3 (m3); expected: " + MAC % 2 in w.found()["m2"], w.found())
    states, sums = w.shown()
    equal(states["127.0.11.1"], ("m1", "right", MAC % 1), "right")
    equal(states["127.0.11.2"], ("m2", "wrong", MAC % 3), "wrong")
    equal(states["127.0.11.3"], ("m3", "absent", None), "absent")
    equal((len(states), sums), (3, [(1, 1, 1)]), "sums")
    text = w.d.text("show lan")
    line = "127.0.11.2 m2: expected %s, has %s, wrong: the MAC address of 127.0.11.3" % (MAC % 2, MAC % 3)
    check(line in text and "Addresses: 1 right, 1 wrong, 1 absent" in text, text)
    equal(w.d.code("show health"), 8099, "a problem")
    # the neighbor goes, and its problem with it
    ip("neigh del 127.0.11.2 dev lan0")
    w.finds({}, "no neighbor, no problem")
    # a move from the right MAC address to another, and back: two routers answer
    neighbor(1, "02:00:00:00:00:aa")
    w.finds({"m1": "127.0.11.1 has the MAC address 02:00:00:00:00:aa; expected: " + MAC % 1}, "moved to a stranger")
    check(", until 20" in w.found()["m1"], w.found())
    neighbor(1, MAC % 1)
    w.finds({"m1": "two routers answer for 127.0.11.1: the MAC address changes between 02:00:00:00:00:aa and "}, "back")
    check("The MAC address of 127.0.11.1 has changed from 02:00:00:00:00:aa to " + MAC % 1 in w.d.whole_log(), "log")
    stays(lambda: set(w.found()) == {"m1"}, "a move is a problem for an hour", 3570, every_s=30)
    w.finds({}, "an hour later")
    w.end()


def moved():
    """A member with two right MAC addresses moves between them; the move is a problem for an hour."""
    w = begin(lines=["127.0.11.1 " + MAC % 1, "127.0.11.1 " + MAC % 0x11])
    neighbor(1, MAC % 1)
    wait_until(lambda: w.shown()[0]["127.0.11.1"][1] == "right", "right")
    stays(lambda: w.found() == {}, "right", 10, every_s=1)
    neighbor(1, MAC % 0x11)
    w.finds({"m1": "the MAC address of 127.0.11.1 moved from %s to %s at 20" % (MAC % 1, MAC % 0x11)}, "moved")
    equal(w.shown()[0], {"127.0.11.1": ("m1", "right", MAC % 0x11)}, "right, too")
    told = [o["expected"] for o in w.json("show lan") if o["type"] == "lan"]
    equal(told, [[MAC % 1, MAC % 0x11]], "both are expected")
    stays(lambda: set(w.found()) == {"m1"}, "a move is a problem for an hour", 3570, every_s=30)
    w.finds({}, "an hour later")
    w.end()


def configures(head=""):
    """Another list, no list, wrong lists; a restart; a configure while neighbors change."""
    w = begin(head=head)
    neighbor(1, MAC % 9)
    neighbor(2, MAC % 2)
    w.finds({"m1": MAC % 9}, "a wrong MAC address")
    w.put(["127.0.11.1 " + MAC % 9, "127.0.11.2 " + MAC % 7])
    w.d.run("configure")
    w.finds({"m2": "expected: " + MAC % 7}, "another list")
    w.put(["127.0.11.1 " + MAC % 9])  # the address of the problem leaves the list
    w.d.run("configure")
    w.finds({}, "a shorter list")
    for lines, error in (
        (["127.0.11.1 " + MAC % 9, "127.0.11.2 nonsense"], "lan.macs:2:12 expected a MAC address"),
        (["# empty"], "lan.macs:1:1 expected an IP address and a MAC address: the file has no entry"),
    ):
        w.put(lines)
        text = w.d.text("configure")
        check(error in text, text)
        equal(sorted(w.shown()[0]), ["127.0.11.1"], "the list in force")
    with open(w.file, "w") as f:
        f.write("127.0.11.1 02:00:00:0")
    check("lan.macs:1:22 the last line has no line end" in w.d.text("configure"), "a file that is cut off")
    os.unlink(w.file)
    check("lan.macs" in w.d.text("configure"), "no file")
    w.put(["127.0.11.2 " + MAC % 8])
    w.d.run("configure")
    w.finds({"m2": "expected: " + MAC % 8}, "the list again")
    for kill in (False, True):
        w.again(kill, *(["-R"] if kill else []))
        w.finds({"m2": "expected: " + MAC % 8}, "after a restart")
    w.d.write(w.conf().replace("lan macs", "# lan macs"))
    w.d.run("configure")
    w.finds({}, "without a list")
    equal(w.d.code("show lan"), 8000, "without a list")
    w.end()


def wrong():
    w = begin()
    equal(w.d.code("show lan all"), 9001, "a word too many")
    cli = Cli(w.d.ctl)
    cli.run("restrict")
    equal(cli.run("show lan")[-1][0], 0, "a restricted session looks")
    cli.close()
    for text in ("lan macs;", "lan macs 5;", 'lan mac "x";'):
        w.d.write(w.conf() + text + "\n")
        check(w.d.code("configure") >= 8000, text)
    w.end()


def real():
    """Two routers and the daemon on a bridge: the kernel asks for the addresses."""
    ip("link add br0 type bridge\nlink set br0 up\naddr add 10.9.0.1/24 dev br0\n")
    others = {}
    for k in (2, 3):
        others[k] = other_namespace()
        ip(
            "link add v%d type veth peer name w%d\nlink set v%d master br0 up\nlink set w%d address %s\n"
            "link set w%d netns %d\n" % (k, k, k, k, MAC % k, k, others[k].pid)
        )
        there(others[k], "addr add 10.9.0.%d/24 dev w%d\nlink set w%d up\n" % (k, k, k))
    w = Lan(["10.9.0.2 " + MAC % 9, "10.9.0.3 " + MAC % 3])
    asks(2, 3)
    w.finds({None: "10.9.0.2 has the MAC address %s; expected: %s" % (MAC % 2, MAC % 9)}, "a wrong list")
    w.put(["10.9.0.2 " + MAC % 2, "10.9.0.3 " + MAC % 3])
    w.d.run("configure")
    w.finds({}, "the right list")
    equal(w.shown()[1], [(2, 0, 0)], "both are right")
    # router 3 takes the address of router 2, and gives the address back
    there(others[2], "addr del 10.9.0.2/24 dev w2\n")
    there(others[3], "addr add 10.9.0.2/24 dev w3\n")
    asks(2)
    w.finds({None: "10.9.0.2 has the MAC address %s, the MAC address of 10.9.0.3" % (MAC % 3)}, "taken")
    equal(w.shown()[0]["10.9.0.2"], (None, "wrong", MAC % 3), "taken")
    there(others[3], "addr del 10.9.0.2/24 dev w3\n")
    there(others[2], "addr add 10.9.0.2/24 dev w2\n")
    asks(2)
    w.finds({None: "two routers answer for 10.9.0.2"}, "back")
    w.end()


def there(other, text):
    subprocess.run(
        ["nsenter", "-t", str(other.pid), "-n", "ip", "-batch", "-"], input=text.encode(), check=True, timeout=60 * SLOW
    )


def asks(*hosts):
    """The kernel resolves the addresses anew."""
    for k in hosts:
        ip("neigh flush to 10.9.0.%d dev br0" % k)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"", ("10.9.0.%d" % k, 9))


in_namespace()
link_case("the kernel's neighbors and the list", table)
link_case("a moved address", moved)
link_case("configure and restarts", configures)
link_case("configure and restarts, on two threads", configures, "threads 2;\n")
link_case("errors", wrong)
real_case("a real LAN", on_a_bare_machine, real)
done()
