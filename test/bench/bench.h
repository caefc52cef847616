/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The microbenchmarks share these parts: time of the calling thread's own CPU, best and
 * median of several rounds, and a row for each result, as a table for people and as JSON.
 *
 * A program calls bench_start, one bench_row for each result, bench_end. `--json FILE`
 * appends an object a row to FILE, each followed by a comma and a newline; bench_micro.sh
 * makes an array of them. */
#ifndef TERN_TEST_BENCH_BENCH_H
#define TERN_TEST_BENCH_BENCH_H

#include "lib/base/check.h"
#include "sysdep/os/clock.h"
#include <stdio.h>
#include <stdlib.h>

#define BENCH_ROUNDS_MAX 64

/* One result. All numbers have the unit @unit. */
struct bench_row {
	const char *name, *unit;
	double best, median;
	double published; /* rustbgpd's own table (AMD Ryzen 9); 0: it has no such row */
	/* rustbgpd 0.8.0 on this project's reference machine; 0: not measured */
	double measured;
	double budget; /* at most; with higher_is_better at least; 0: none */
	bool higher_is_better;
};

static FILE *bench_json;
static unsigned bench_missed;

static inline void
bench_start(int argc, char **argv, const char *title)
{
	if (argc == 3 && !strcmp(argv[1], "--json"))
		bench_json = fopen(argv[2], "ae");
	printf("\n%-52s %10s %10s %10s %10s %10s\n", title, "tern", "median", "rustbgpd",
	    "here", "budget");
}

static inline double
bench_number(double v, char text[24])
{
	if (v == 0)
		snprintf(text, 24, "-");
	else
		snprintf(text, 24, "%.*f", v < 10 ? 2 : v < 1000 ? 1 : 0, v);
	return v;
}

static inline void
bench_row(const struct bench_row *r)
{
	char num[5][24], name[96];
	bool met = r->higher_is_better ? r->best >= r->budget : r->best <= r->budget;

	bench_number(r->best, num[0]);
	bench_number(r->median, num[1]);
	bench_number(r->published, num[2]);
	bench_number(r->measured, num[3]);
	bench_number(r->budget, num[4]);
	snprintf(name, sizeof(name), "%s, %s", r->name, r->unit);
	printf("%-52s %10s %10s %10s %10s %10s%s\n", name, num[0], num[1], num[2], num[3],
	    num[4],
	    !r->budget ? ""
	    : met      ? "  met"
		       : "  MISSED");
	bench_missed += r->budget && !met;
	if (!bench_json)
		return;
	fprintf(bench_json,
	    "  {\"name\": \"%s\", \"unit\": \"%s\", \"best\": %.4g, \"median\": %.4g",
	    r->name, r->unit, r->best, r->median);
	if (r->published)
		fprintf(bench_json, ", \"rustbgpd_published\": %.4g", r->published);
	if (r->measured)
		fprintf(bench_json, ", \"rustbgpd_measured\": %.4g", r->measured);
	if (r->budget)
		fprintf(bench_json, ", \"budget\": %.4g, \"met\": %s", r->budget,
		    met ? "true" : "false");
	fprintf(bench_json, "},\n");
}

static inline int
bench_end(void)
{
	if (bench_json)
		fclose(bench_json);
	return 0;
}

static inline int
bench_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* What is measured: @run is timed, @before and @after (may be NULL) are not. */
struct bench_job {
	void (*before)(void *arg), (*run)(void *arg), (*after)(void *arg);
	void *arg;
	unsigned rounds;
	double each; /* what one call of @run does this many times */
};

/* bench_time - nanoseconds of the thread's CPU for each; into @r's best and median. */
static inline void
bench_time(struct bench_row *r, const struct bench_job *j)
{
	double ns[BENCH_ROUNDS_MAX];

	ASSERT(j->rounds && j->rounds <= BENCH_ROUNDS_MAX);
	for (unsigned i = 0; i < j->rounds; i++) {
		uint64_t from;

		if (j->before)
			j->before(j->arg);
		from = clock_thread_cpu_ns();
		j->run(j->arg);
		ns[i] = (double)(clock_thread_cpu_ns() - from) / j->each;
		if (j->after)
			j->after(j->arg);
	}
	qsort(ns, j->rounds, sizeof(ns[0]), bench_cmp);
	r->best = ns[0];
	r->median = ns[j->rounds / 2];
}

#endif
