#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ttl security against peers that send at once.
exec python3 -B "${0%.sh}.py"
