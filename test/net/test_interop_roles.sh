#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Roles (RFC 9234) with bird2, frr and openbgpd: each pair, and the attribute on routes both ways.
exec python3 -B "${0%.sh}.py"
