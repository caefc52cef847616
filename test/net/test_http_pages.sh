#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages of the looking glass: well-formed, escaped, and with the facts of both servers.
exec python3 -B "${0%.sh}.py"
