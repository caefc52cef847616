/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of the programs: `subturns [--seed N] [--seeds N] [--trace] [--hash]
 * [PROGRAM...]`. */
#include "test/sim/subturns/subturns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct sub_program prog_stack, prog_ring, prog_journal, prog_wake,
    prog_lease, prog_hash, prog_bump, prog_page, prog_map;

const struct sub_program *const sub_programs[] = { &prog_stack, &prog_ring, &prog_journal,
	&prog_wake, &prog_lease, &prog_hash, &prog_bump, &prog_page, &prog_map, NULL };

static void
main_usage(FILE *f)
{
	fputs("usage: subturns [--seed N] [--seeds N] [--trace] [--hash] [PROGRAM...]\n"
	      "  --seed N   the first seed (1)        --seeds N  number of runs (1000)\n"
	      "  --trace    print each operation      --hash     print a number of all "
	      "runs\n"
	      "programs:\n",
	    f);
	for (unsigned i = 0; sub_programs[i]; i++)
		fprintf(f, "  %-10s %s\n", sub_programs[i]->name, sub_programs[i]->what);
}

static uint64_t
main_number(const char *s)
{
	char *end = NULL;
	uint64_t n = s ? strtoull(s, &end, 10) : 0;

	if (!s || !*s || *end) {
		fprintf(stderr, "subturns: `%s' is no number\n", s ? s : "");
		exit(2);
	}
	return n;
}

static const struct sub_program *
main_find(const char *name)
{
	for (unsigned i = 0; sub_programs[i]; i++)
		if (!strcmp(sub_programs[i]->name, name))
			return sub_programs[i];
	fprintf(stderr, "subturns: no program `%s'\n", name);
	main_usage(stderr);
	exit(2);
}

/* main_play - Returns: false: a run failed. */
static bool
main_play(
    const struct sub_program *p, uint64_t seed, uint64_t seeds, bool trace, bool sums)
{
	uint64_t sum = 0;

	for (uint64_t s = seed; s < seed + seeds; s++) {
		const char *what = sub_run(p, s, trace);

		sum = sum * 31 + sub_run_hash();
		if (!what)
			continue;
		printf("seed %llu: %s: %s\n  subturns --seed %llu --seeds 1 --trace %s\n",
		    (unsigned long long)s, p->name, what, (unsigned long long)s, p->name);
		return false;
	}
	if (sums)
		printf("%s %016llx\n", p->name, (unsigned long long)sum);
	return true;
}

int
main(int argc, char **argv)
{
	uint64_t seed = 1, seeds = 1000;
	bool trace = false, sums = false, all = true, fine = true;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help"))
			return main_usage(stdout), 0;
		if (!strcmp(argv[i], "--seed"))
			seed = main_number(argv[++i]);
		else if (!strcmp(argv[i], "--seeds"))
			seeds = main_number(argv[++i]);
		else if (!strcmp(argv[i], "--trace"))
			trace = true;
		else if (!strcmp(argv[i], "--hash"))
			sums = true;
		else {
			all = false;
			fine = main_play(main_find(argv[i]), seed, seeds, trace, sums) &&
			       fine;
		}
	}
	for (unsigned i = 0; all && sub_programs[i]; i++)
		fine = main_play(sub_programs[i], seed, seeds, trace, sums) && fine;
	return !fine;
}
