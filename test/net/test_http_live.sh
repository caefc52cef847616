#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# /v1/events with a prefix or an AS: the present routes, their changes, slow clients, a daemon that returns.
exec python3 -B "${0%.sh}.py"
