# SPDX-License-Identifier: GPL-3.0-or-later
"""The configurations of doc/examples as they are, but for who and where the route server and its members are."""
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/examples")


def text(name):
    with open(os.path.join(FOLDER, name)) as f:
        return f.read()


def changed(found, pairs):
    """@found with each old text replaced by a new one. An old one that isn't there is an error."""
    for old, new in pairs:
        if old not in found:
            raise ValueError("the example has no '%s'" % old)
        found = found.replace(old, new)
    return found


def filled(name, server, log, members, session=""):
    """The example @name for @server, (address, port), with @log for a log file, and a member for each
    (address, AS) of @members. What stands there of a member, AS64501, stands here of each. @session: more options
    of a session."""
    found = text(name)
    if "RS_ADDRESS" in found:
        found = changed(found, [("define RS_ADDRESS = 192.0.2.1;", "define RS_ADDRESS = %s;" % server[0]),
                                ("define RS_PORT = 179;", "define RS_PORT = %d;" % server[1]),
                                ("\tlocal RS_ADDRESS", "\t%slocal RS_ADDRESS" % session)])
    else:
        found = changed(found, [("\tlocal 192.0.2.1 as", "\t%slocal %s port %d as" % (session, server[0], server[1]))])
    blocks = changed(found, [('"tern.log"', '"%s"' % log)]).rstrip("\n").split("\n\n")
    [member] = [b for b in blocks if "as64501 from" in b]
    out = [b for b in blocks if not re.search(r"\bas\d{5} from", b)]
    for address, number in members:
        out.append(changed(member, [("192.0.2.11", address), ("64501", str(number))]))
    return "\n\n".join(out) + "\n"
