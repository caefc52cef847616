# SPDX-License-Identifier: GPL-3.0-or-later
"""A registry that needs no network: what an AS number or AS-SET stands for follows from the digits
at its end. Object n has 20+n.0.0.0/8 and 2aNN::/16 (n modulo 100) to choose from.

TERN_IXP_PREFIXES: how many prefixes each object has more, for files as large as real ones.
"""

import os
import re


def index(name):
    return int(re.search(r"\d+$", name).group()) % 100


def asn(name):
    m = re.fullmatch(r"AS(\d+)", name)
    return int(m.group(1)) if m else index(name)


def asns(name):
    n = index(name)
    return sorted({asn(name), 1000 + n, 2000 + n, 3000 + n, 135000 + n})


def _entry(prefix, low=None, high=None):
    length = int(prefix.split("/")[1])
    if low is None:
        return {"prefix": prefix, "exact": True}
    return {"prefix": prefix, "exact": False, "greater-equal": low or length, "less-equal": high}


def prefixes(name, family, longer=False):
    """The entries as bgpq4 -j prints them; with longer, what -R adds is there, too."""
    n, more = index(name), int(os.environ.get("TERN_IXP_PREFIXES", "0"))
    if family == 4:
        b = 20 + n
        found = [_entry("%d.%d.0.0/16" % (b, i)) for i in (1, 2, 3, 7, 8)]
        found += [_entry("%d.%d.64.0/18" % (b, i)) for i in (20, 21)]
        found += [_entry("%d.30.%d.0/24" % (b, i)) for i in range(0, 40, 2)]
        found += [_entry("%d.40.0.0/16" % b, 20, 24), _entry("%d.42.0.0/15" % b, 15, 22)]
        found += [_entry("%d.64.0.0/10" % b, 20, 24)]
        found += [_entry("%d.%d.%d.0/24" % (b, 200 + i // 256, i % 256)) for i in range(more)]
        top = 32
    else:
        b = "2a%02d" % n
        found = [_entry("%s:%d00::/32" % (b, i)) for i in (1, 2, 3, 7, 8)]
        found += [_entry("%s:30:%x::/48" % (b, i)) for i in range(0, 20, 2)]
        found += [_entry("%s:40::/32" % b, 40, 48)]
        found += [_entry("%s:5000:%x::/48" % (b, i)) for i in range(more)]
        top = 128
    if longer:
        found = [_entry(e["prefix"], e.get("greater-equal", 0), top) for e in found]
    return found


def roas(asn_numbers):
    """ROAs for the space of these: some that fit, some that don't, one of AS 0."""
    found = []
    for a in asn_numbers:
        n = a % 100
        b, h = 20 + n, "2a%02d" % n
        for prefix, top, origin in (
                ("%d.1.0.0/16" % b, 24, a), ("%d.2.0.0/16" % b, 16, a), ("%d.2.0.0/16" % b, 20, 2000 + n),
                ("%d.3.0.0/16" % b, 16, 3000 + n), ("%d.60.0.0/16" % b, 24, 1000 + n),
                ("%d.61.0.0/16" % b, 32, 0), ("%d.40.0.0/16" % b, 22, 135000 + n),
                ("%s:100::/32" % h, 48, a), ("%s:200::/32" % h, 32, a), ("%s:200::/32" % h, 40, 2000 + n),
                ("%s:300::/32" % h, 32, 3000 + n), ("%s:6000::/32" % h, 48, 1000 + n),
                ("%s:6100::/32" % h, 128, 0)):
            found.append({"asn": "AS%d" % origin, "prefix": prefix, "maxLength": top, "ta": "ripe"})
    return found
