#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables of type aspa, static ASPA routes, aspa_check and what follows from changed ASPAs.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
