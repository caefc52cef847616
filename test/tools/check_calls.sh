#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls follow the floors as includes do: check_calls.py reads the symbols of the objects in the build folder.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_calls.py
build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
cd "${TERN_SRCDIR:-.}" || exit 1
[ -r "$build/libtern.list" ] || { echo "libtern.list is missing: make libtern.a"; exit 1; }
exec python3 -B "$tool" "$build"
