/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim: ternd in a simulated world. `sim --help` prints the options.
 *
 * Each run is a process of its own. Exit status: 0; 1: a run failed; 2: wrong options. A
 * failed run prints its seed and the command that replays the run. The last line has the
 * seeds, and counts runs, failures and seconds. */
#include "test/sim/exchange.h"
#include "test/sim/feature.h"
#include "test/sim/oracle/oracle.h"
#include "test/sim/script.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/world.h"

#include <bsd/string.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char *__real_realpath(const char *path, char *out);
int __real_clock_gettime(clockid_t id, struct timespec *ts);
void __gcov_dump(void) __attribute__((weak));
void __real__exit(int status) __attribute__((noreturn));

struct options {
	uint64_t seed, seeds;
	unsigned jobs, members, minutes, hours, rate;
	bool trace, hash, day, pairs, table, no_oracle;
	const char *script; /* NULL: none */
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

	if (p->o->script)
		script_begin(p->o->script);
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

static const char *
kind_of(const struct options *o)
{
	return o->pairs ? "pairs" : "day";
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
		printf("%s seed %llu: %s\n", path ? path : kind_of(o),
		    (unsigned long long)seed, hash);
	}
	fflush(stdout);
	sim_lives_end();
	_Exit(0);
}

#define JOBS_MAX 64

/* A run that was started. */
struct run {
	pid_t pid; /* 0: none */
	const char *path;
	uint64_t seed;
};

static struct run run[JOBS_MAX];
static unsigned long long run_cnt; /* runs that were started */
static volatile sig_atomic_t was_ended; /* by SIGTERM */

/* main_end_runs - at SIGTERM: the runs under way end, and the reaper prints how to replay
 * each run. */
static void
main_end_runs(int sig)
{
	was_ended = sig;
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (run[i].pid > 0)
			kill(run[i].pid, sig);
}

/* sim_print_replay - of a run that failed, or that SIGTERM ended: a command for any
 * folder. */
static void
sim_print_replay(const struct options *o, const struct run *r, bool failed)
{
	char program[PATH_MAX], path[PATH_MAX];

	if (!__real_realpath("/proc/self/exe", program))
		strlcpy(program, "sim", sizeof(program));
	fprintf(stderr, "%s %s seed %llu; replay: %s --seed %llu --trace ",
	    failed ? "FAIL" : "ENDED", r->path ? r->path : kind_of(o),
	    (unsigned long long)r->seed, program, (unsigned long long)r->seed);
	if (r->path)
		fprintf(stderr, "%s\n", __real_realpath(r->path, path) ? path : r->path);
	else if (o->pairs)
		fprintf(stderr, "--pairs --minutes %u\n", o->minutes);
	else if (o->hours)
		fprintf(stderr, "--day --members %u --hours %u --rate %u\n", o->members,
		    o->hours, o->rate);
	else
		fprintf(
		    stderr, "--day --members %u --minutes %u\n", o->members, o->minutes);
}

/* main_end_quietly - nobody reads the trace any more: all runs end, and the program as
 * the run. */
static void
sim_main_end_quietly(void)
{
	main_end_runs(SIGTERM);
	raise(SIGPIPE);
	_Exit(128 + SIGPIPE);
}

/* reap - wait for one of the runs. Returns: 1 if the run failed; a run that main_end_runs
 * has ended did not. */
static unsigned
sim_main_reap(const struct options *o, unsigned *cnt)
{
	int status;
	bool ended;
	pid_t pid = wait(&status);

	for (unsigned i = 0; i < *cnt; i++) {
		if (run[i].pid != pid)
			continue;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
			sim_main_end_quietly();
		ended = was_ended && WIFSIGNALED(status) && WTERMSIG(status) == was_ended;
		if (status) {
			if (WIFSIGNALED(status) && !ended)
				fprintf(stderr, "seed %llu: killed by signal %d\n",
				    (unsigned long long)run[i].seed, WTERMSIG(status));
			sim_print_replay(o, &run[i], !ended);
		}
		run[i] = run[--*cnt];
		run[*cnt].pid = 0;
		return status && !ended;
	}
	return 0;
}

static unsigned
sim_main_run_all(const struct options *o, char **path, unsigned path_cnt)
{
	struct sigaction end = { .sa_handler = main_end_runs, .sa_flags = SA_RESTART };
	unsigned cnt = 0, failed = 0;

	sigaction(SIGTERM, &end, NULL);
	for (unsigned p = 0; p < path_cnt; p++)
		for (uint64_t s = 0; s < o->seeds && !was_ended; s++) {
			if (cnt == o->jobs)
				failed += sim_main_reap(o, &cnt);
			fflush(NULL);
			run[cnt].path = o->day ? NULL : path[p];
			run[cnt].seed = o->seed + s;
			run[cnt].pid = fork();
			if (!run[cnt].pid) {
				end.sa_handler = SIG_DFL;
				sigaction(SIGTERM, &end, NULL);
				run_one(o, run[cnt].path, run[cnt].seed);
			}
			cnt++;
			run_cnt++;
		}
	while (cnt)
		failed += sim_main_reap(o, &cnt);
	return failed ? failed : was_ended != 0;
}

static const char help[] =
    "usage: sim [OPTION]... STORY...     play each story\n"
    "       sim [OPTION]... --day        play a drawn day\n"
    "       sim [OPTION]... --pairs      play an hour with a drawn configuration\n"
    "       sim [OPTION]... --bridge FD  serve the program behind the socket FD\n"
    "\n"
    "  --seed N      the first seed (1)\n"
    "  --seeds N     the number of seeds (1)\n"
    "  --jobs N      runs at a time, 1 to 64 (1)\n"
    "  --trace       print each event\n"
    "  --hash        print the SHA-256 of the trace of each run\n"
    "  --members N   members of a day, 1 to 200 (8)\n"
    "  --minutes N   minutes of a day (10), or of --pairs (60)\n"
    "  --hours N     a long day of N hours instead\n"
    "  --rate N      changes of routes a second, of a long day (20)\n"
    "  --table       with --pairs: print how often each pair occurs, and play nothing\n"
    "  --script FILE write a drawn day, or a run of pairs, of one seed as a story\n"
    "  --subturns    run sim_subturns, whose threads switch at any access to memory\n"
    "  --no-oracle   do not compare members with the model of a route server\n"
    "  --help        print this text\n";

/* table_number_of - the argument of an option, in [@from, @to]. */
static uint64_t
sim_main_number_of(const char *name, uint64_t from, uint64_t to)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(optarg, &end, 10);
	if (!isdigit((unsigned char)*optarg) || *end || errno || v < from || v > to) {
		fprintf(stderr, "sim: --%s %s: a number from %llu to %llu\n", name,
		    optarg, (unsigned long long)from, (unsigned long long)to);
		exit(2);
	}
	return v;
}

static void
bad_options(const char *why)
{
	fprintf(stderr, "sim: %s; sim --help prints the options\n", why);
	exit(2);
}

static void
sim_main_parse(struct options *o, int argc, char **argv)
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
		{ "script", required_argument, NULL, 'S' },
		{ "no-oracle", no_argument, NULL, 'o' },
		{ "bridge", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, '?' + 256 },
		{ NULL, 0, NULL, 0 },
	};
	int c, i = 0;

	*o = (struct options){ .seed = 1,
		.seeds = 1,
		.jobs = 1,
		.members = 8,
		.rate = 20,
		.bridge_fd = -1 };
	while ((c = getopt_long(argc, argv, "", longs, &i)) != -1) {
		const char *name = longs[i].name;

		if (c == '?')
			exit(2);
		if (c == '?' + 256) {
			printf("%s", help);
			exit(0);
		}
		o->seed = c == 's' ? sim_main_number_of(name, 0, UINT64_MAX) : o->seed;
		o->seeds = c == 'n' ? sim_main_number_of(name, 1, UINT32_MAX) : o->seeds;
		o->jobs = c == 'j' ? (unsigned)sim_main_number_of(name, 1, JOBS_MAX)
				   : o->jobs;
		o->members = c == 'm' ? (unsigned)sim_main_number_of(name, 1, 200)
				      : o->members;
		o->minutes = c == 'M' ? (unsigned)sim_main_number_of(name, 1, 1000000)
				      : o->minutes;
		o->hours = c == 'H' ? (unsigned)sim_main_number_of(name, 1, 100000)
				    : o->hours;
		o->rate = c == 'r' ? (unsigned)sim_main_number_of(name, 1, 1000000)
				   : o->rate;
		o->bridge_fd = c == 'b' ? (int)sim_main_number_of(name, 0, INT_MAX)
					: o->bridge_fd;
		o->trace |= c == 't';
		o->hash |= c == 'h';
		o->day |= c == 'd' || c == 'p';
		o->pairs |= c == 'p';
		o->table |= c == 'T';
		o->script = c == 'S' ? optarg : o->script;
		o->no_oracle |= c == 'o';
	}
	if (!o->minutes)
		o->minutes = o->pairs ? 60 : 10;
	if (optind == argc && !o->day && o->bridge_fd < 0)
		bad_options("a STORY, --day, --pairs or --bridge is missing");
	if (optind < argc && (o->day || o->bridge_fd >= 0))
		bad_options("a STORY, and --day, --pairs or --bridge");
	if (o->seeds - 1 > UINT64_MAX - o->seed)
		bad_options("the last seed, --seed plus --seeds, has more than 64 bits");
	if (o->script && (o->seeds > 1 || !o->day || o->hours))
		bad_options("--script with a single seed of --day or --pairs");
	if (o->table && !o->pairs)
		bad_options("--table without --pairs");
}

/* sim_main_leave - the exit of a coverage build: the counters of each life are in their
 * files (life.c), and libgcov would open the files of a world that has ended. */
static void
sim_main_leave(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	__real__exit(status);
}

/* sim_main_subturns - with --subturns: run the program sim_subturns of the same folder
 * with the other arguments. */
static void
sim_main_subturns(int argc, char **argv)
{
	char path[PATH_MAX] = "";
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 16);
	int left = 0;

	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--subturns") != 0)
			argv[left++] = argv[i];
	if (left == argc)
		return;
	argv[left] = NULL;
	while (len > 0 && path[len - 1] != '/')
		len--;
	strlcpy(path + len, "sim_subturns", sizeof(path) - (size_t)len);
	execv(path, argv);
	bad_options("--subturns runs sim_subturns: make test/sim/sim_subturns");
}

int
main(int argc, char **argv)
{
	struct timespec began, now;
	struct options o;
	unsigned path_cnt, failed = 0;

	if (__gcov_dump)
		on_exit(sim_main_leave, NULL);
	/* Equal addresses in each run: a trace that depends on an address then differs
	 * only between builds. */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) &&
	    personality(ADDR_NO_RANDOMIZE) >= 0)
		execv("/proc/self/exe", argv);
	/* Whole lines, also of runs at the same time. */
	setvbuf(stderr, NULL, _IOLBF, 1 << 16);
	setenv("TZ", "UTC", 1);
	sim_main_subturns(argc, argv);
	sim_main_parse(&o, argc, argv);
	if (o.bridge_fd >= 0)
		run_one(&o, NULL, o.seed);
	if (!o.no_oracle)
		oracle_init();
	path_cnt = o.day ? 1 : (unsigned)(argc - optind);
	__real_clock_gettime(CLOCK_MONOTONIC, &began);
	if (o.pairs)
		failed += choice_pairs(o.seed, o.seeds, o.table) && o.seeds >= 300;
	if (o.table)
		return failed != 0;
	failed += sim_main_run_all(&o, argv + optind, path_cnt);
	oracle_print();
	__real_clock_gettime(CLOCK_MONOTONIC, &now);
	printf("seeds %llu to %llu: %llu runs, %u failed, %.1f s\n",
	    (unsigned long long)o.seed, (unsigned long long)(o.seed + o.seeds - 1),
	    run_cnt, failed,
	    (double)(now.tv_sec - began.tv_sec) +
		(double)(now.tv_nsec - began.tv_nsec) / 1e9);
	return failed != 0;
}
