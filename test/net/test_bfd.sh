#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol bfd with bird2 and frr's bfdd: sessions of each kind, lost links, frozen and restarted neighbours,
# forged packets.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
