#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `show protocols all` counts and names, where BIRD 2 says something else than tern did.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
