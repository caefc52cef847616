#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The audit trail: who ran which command, with which result, and which configuration was in force before and after.
exec python3 -B "${0%.sh}.py"
