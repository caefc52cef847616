#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions of ternd with bird2, frr, openbgpd, gobgpd and exabgp: what each holds of the other's routes.
exec python3 -B "${0%.sh}.py"
