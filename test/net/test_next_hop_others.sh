#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Next hops with global and link-local addresses, as bird2, frr and openbgpd receive them.
exec python3 -B "${0%.sh}.py"
