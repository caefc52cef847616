#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The API of Bird's Eye that ternhttp serves, request by request and field by field.
exec python3 -B "${0%.sh}.py"
