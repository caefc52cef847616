#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All routes of a prefix to those who take them (RFC 7911), beside bird.
exec python3 -B "${0%.sh}.py"
