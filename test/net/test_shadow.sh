#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternshadow beside a live server, bird2 by MRT and ternd by BMP: no difference under churn; after one line of one
# filter exactly its routes; what is fed less is told from what is decided otherwise.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
