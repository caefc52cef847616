/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim: ternd in a simulated world.
 *
 *   sim [OPTION]... STORY...     play each story
 *   sim [OPTION]... --day        play a drawn day
 *   sim [OPTION]... --bridge FD  serve the program behind a socket (bridge.c)
 *
 *   sim [OPTION]... --pairs      play hours with drawn features; --table: which pairs
 *
 *   --seed N --seeds N           N seeds, from this seed on (1, 1)
 *   --jobs N                     so many at a time (1)
 *   --trace, --hash              print each event; print the SHA-256 of each trace
 *   --members N --minutes N      of a drawn day (8, 10); minutes with drawn features (60)
 *   --hours N --rate N           a long day of so many hours (exchange.c), with so many
 *                                changes of routes a second (20)
 *
 * Each run is a process of its own. Exit status: 0, or 1: a run failed. A failed run
 * prints its seed and how to replay the run. The last line counts runs, failures and
 * seconds. */
#include "test/sim/exchange.h"
#include "test/sim/feature.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/world.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int __real_clock_gettime(clockid_t id, struct timespec *ts);

struct options {
	uint64_t seed, seeds;
	unsigned jobs, members, minutes, hours, rate;
	bool trace, hash, day, pairs, table;
	int bridge_fd; /* -1: none */
};

/* What the one task of a run plays. */
struct play {
	const struct options *o;
	const char *path;
};

static void *
play_task(void *arg)
{
	const struct play *p = arg;

	if (p->o->bridge_fd >= 0)
		bridge_run(p->o->bridge_fd);
	else if (p->path)
		story_run(p->path);
	else if (p->o->pairs)
		pairs_run(sim_seed(), p->o->minutes);
	else if (p->o->hours)
		exchange_run(p->o->members, p->o->hours, p->o->rate);
	else
		day_run(p->o->members, p->o->minutes * 60ull * SIM_S);
	sim_end();
	return NULL;
}

/* run_one - a whole world, in a process of its own. */
static void
run_one(const struct options *o, const char *path, uint64_t seed)
{
	struct play p = { o, path };
	char hash[65];

	sim_init(seed);
	sim_trace(o->trace, o->hash);
	sim->pump = sim_net_pump;
	sim_task_new("story", false, play_task, &p);
	sim_run();
	if (!sim_has_ended())
		sim_fail("nothing can ever happen again, and the story is not over");
	if (o->hash) {
		sim_trace_hash(hash);
		printf("%s seed %llu: %s\n", path ? path : "day",
		    (unsigned long long)seed, hash);
	}
	fflush(stdout);
	sim_lives_end();
	_Exit(0);
}

/* A run that was started. */
struct run {
	pid_t pid;
	const char *path;
	uint64_t seed;
};

/* tell_replay - of a run that failed. */
static void
tell_replay(const struct options *o, const struct run *r)
{
	fprintf(stderr, "FAIL %s seed %llu; replay: sim --seed %llu --trace ",
	    r->path ? r->path : "day", (unsigned long long)r->seed,
	    (unsigned long long)r->seed);
	if (r->path)
		fprintf(stderr, "%s\n", r->path);
	else if (o->pairs)
		fprintf(stderr, "--pairs --minutes %u\n", o->minutes);
	else if (o->hours)
		fprintf(stderr, "--day --members %u --hours %u --rate %u\n", o->members,
		    o->hours, o->rate);
	else
		fprintf(
		    stderr, "--day --members %u --minutes %u\n", o->members, o->minutes);
}

/* reap - wait for one of the runs. Returns: 1 if the run failed. */
static unsigned
reap(const struct options *o, struct run *run, unsigned *cnt)
{
	int status;
	pid_t pid = wait(&status);

	for (unsigned i = 0; i < *cnt; i++) {
		if (run[i].pid != pid)
			continue;
		if (status) {
			if (WIFSIGNALED(status))
				fprintf(stderr, "seed %llu: killed by signal %d\n",
				    (unsigned long long)run[i].seed, WTERMSIG(status));
			tell_replay(o, &run[i]);
		}
		run[i] = run[--*cnt];
		return status != 0;
	}
	return 0;
}

static unsigned
run_all(const struct options *o, char **path, unsigned path_cnt)
{
	struct run run[64];
	unsigned cnt = 0, failed = 0;

	for (unsigned p = 0; p < path_cnt; p++)
		for (uint64_t s = 0; s < o->seeds; s++) {
			if (cnt == o->jobs)
				failed += reap(o, run, &cnt);
			fflush(stdout);
			run[cnt].path = o->day ? NULL : path[p];
			run[cnt].seed = o->seed + s;
			run[cnt].pid = fork();
			if (!run[cnt].pid)
				run_one(o, run[cnt].path, run[cnt].seed);
			cnt++;
		}
	while (cnt)
		failed += reap(o, run, &cnt);
	return failed;
}

static void
parse(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "members", required_argument, NULL, 'm' },
		{ "minutes", required_argument, NULL, 'M' },
		{ "hours", required_argument, NULL, 'H' },
		{ "rate", required_argument, NULL, 'r' },
		{ "trace", no_argument, NULL, 't' },
		{ "hash", no_argument, NULL, 'h' },
		{ "day", no_argument, NULL, 'd' },
		{ "pairs", no_argument, NULL, 'p' },
		{ "table", no_argument, NULL, 'T' },
		{ "bridge", required_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct options){ .seed = 1,
		.seeds = 1,
		.jobs = 1,
		.members = 8,
		.rate = 20,
		.bridge_fd = -1 };
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		o->seed = c == 's' ? strtoull(optarg, NULL, 10) : o->seed;
		o->seeds = c == 'n' ? strtoull(optarg, NULL, 10) : o->seeds;
		o->jobs = c == 'j' ? (unsigned)atoi(optarg) : o->jobs;
		o->members = c == 'm' ? (unsigned)atoi(optarg) : o->members;
		o->minutes = c == 'M' ? (unsigned)atoi(optarg) : o->minutes;
		o->hours = c == 'H' ? (unsigned)atoi(optarg) : o->hours;
		o->rate = c == 'r' ? (unsigned)atoi(optarg) : o->rate;
		o->trace |= c == 't';
		o->hash |= c == 'h';
		o->day |= c == 'd' || c == 'p';
		o->pairs |= c == 'p';
		o->table |= c == 'T';
		o->bridge_fd = c == 'b' ? atoi(optarg) : o->bridge_fd;
		if (c == '?')
			exit(2);
	}
	if (!o->minutes)
		o->minutes = o->pairs ? 60 : 10;
	if (o->jobs < 1 || o->jobs > 64 || o->members < 1 || o->members > 200 ||
	    (optind == argc) != (o->day || o->bridge_fd >= 0)) {
		fprintf(stderr, "usage: sim [--seed N] [--seeds N] [--jobs 1-64] "
				"[--trace] [--hash] STORY... | --day | --bridge FD\n");
		exit(2);
	}
}

int
main(int argc, char **argv)
{
	struct timespec began, now;
	struct options o;
	unsigned path_cnt, failed = 0;

	/* Equal addresses in each run: a trace that depends on an address then differs
	 * only between builds. */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) &&
	    personality(ADDR_NO_RANDOMIZE) >= 0)
		execv("/proc/self/exe", argv);
	setenv("TZ", "UTC", 1);
	parse(&o, argc, argv);
	if (o.bridge_fd >= 0)
		run_one(&o, NULL, o.seed);
	path_cnt = o.day ? 1 : (unsigned)(argc - optind);
	__real_clock_gettime(CLOCK_MONOTONIC, &began);
	if (o.pairs)
		failed += choice_pairs(o.seed, o.seeds, o.table) && o.seeds >= 300;
	if (!o.table)
		failed += run_all(&o, argv + optind, path_cnt);
	__real_clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%llu runs, %u failed, %.1f s\n", (unsigned long long)o.seeds * path_cnt,
	    failed,
	    (double)(now.tv_sec - began.tv_sec) +
		(double)(now.tv_nsec - began.tv_nsec) / 1e9);
	return failed != 0;
}
