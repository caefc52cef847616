#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions in VRFs.
exec python3 -B "${0%.sh}.py"
