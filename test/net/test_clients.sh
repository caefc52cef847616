#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that others have made for BIRD read the same from ternd.
exec python3 -B "${0%.sh}.py"
