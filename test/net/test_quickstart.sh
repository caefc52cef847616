#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ./quickstart ends as it must and leaves nothing behind.
exec python3 -B "${0%.sh}.py"
