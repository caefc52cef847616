#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_install checks the files of `make install`, the systemd unit, and its messages at start and stop.
exec python3 -B "${0%.sh}.py"
