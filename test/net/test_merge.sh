#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Several routes of a net as one route of the kernel, compared with what bird2 does by the same configuration.
exec python3 -B "${0%.sh}.py"
