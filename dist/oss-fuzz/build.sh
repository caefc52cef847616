#!/bin/bash -eu
# SPDX-License-Identifier: GPL-3.0-or-later
# OSS-Fuzz calls the script in the source tree with CC, CFLAGS, LIB_FUZZING_ENGINE and OUT in the environment. OUT gets
# the program of each decoder, the corpora, and in OUT/lib the shared libraries that the programs load.
# fuzz_session and fuzz_http play a whole daemon; `make fuzz` runs the two.
autoreconf -i
mkdir -p fuzz-oss "$OUT/lib"
cd fuzz-oss
../configure -q --enable-debug --enable-lto=no CC="$CC" CFLAGS="$CFLAGS"
names=
for source in ../test/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	[ "$name" = fuzz_session ] || [ "$name" = fuzz_http ] || names="$names ${name#fuzz_}"
done
make -j"$(nproc)" fuzz-programs FUZZ="$names" FUZZ_ENGINE="$LIB_FUZZING_ENGINE" LDFLAGS="-Wl,-rpath,'\$\$ORIGIN/lib'"
for name in $names; do
	cp "test/fuzz/fuzz_$name-libfuzzer" "$OUT/fuzz_$name"
	ldd "$OUT/fuzz_$name" | sed -n 's/^.*=> \(\/[^ ]*\) (0x.*/\1/p' |
		grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt|libresolv)\.so' | xargs -r cp -Lnt "$OUT/lib"
	[ ! -d "../test/fuzz/corpus/$name" ] ||
		python3 -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" ../test/fuzz/corpus/"$name"/*
done
