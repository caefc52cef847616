#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Long commands cost the table nothing and delay nobody.
exec python3 -B "${0%.sh}.py"
