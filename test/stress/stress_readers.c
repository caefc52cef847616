/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmark of many readers (test/bench/bench_match.c) in small: up to 4 readers and
 * 3 writers, and what is found is looked at: it contains the address, and is its longest
 * match while nobody writes; after writing each prefix has its 5 routes again; when all
 * sources have gone nothing is left. The times that it prints say nothing; aborts on a
 * failure. */
#define MATCH_SHORT
#include "test/bench/bench_match.c"

int
main(void)
{
	bench_match_run_all();
	bench_match_say_all();
	return 0;
}
