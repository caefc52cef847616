#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# /metrics of ternhttp beside bird_exporter: the same names, labels and values.
exec python3 -B "${0%.sh}.py"
