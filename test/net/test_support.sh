#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The support bundle: contents, masks, and what becomes of the file when something fails.
exec python3 -B "${0%.sh}.py"
