#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults of the files of images: full disks, removed and foreign files, other writers.
exec python3 -B "${0%.sh}.py"
