#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Secrets in files, and messages without secrets.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
