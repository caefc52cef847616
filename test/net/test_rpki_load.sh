#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocol rpki under load: many VRPs, many caches.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
