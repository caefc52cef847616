/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The oracle: a check from begin to end (oracle.h).
 *
 * I1  A check runs in a copy of the process, which finds static data as in a new process.
 *     The world goes on as if nobody had looked.
 * I2  The sums are shared memory: all runs of the program add to the sums. */
#include "lib/mt/atomic.h" /* TERN_TSAN */
#include "test/sim/oracle/oracle_model.h"

#include "filter/lang/diag.h"
#include "lib/mt/atomic.h" /* TERN_TSAN */
#include "nest/conf/conf_load.h"
#include "proto/registry.h"
#include "test/sim/script.h"
#include "test/sim/sim_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODEL_FILE "/sim/oracle.conf"

void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);

/* I2. Written before the first run, and never after: each life of a daemon has the same
 * pointer. */
static struct oracle_sums *sums;

void
oracle_init(void)
{
	void *p = __real_mmap(NULL, sizeof(*sums), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	sums = p;
}

void
oracle_print(void)
{
	static const char *const text[] = {
#define X(name, what) what,
		ORACLE_DOUBT_TABLE(X)
#undef X
	};

	if (!sums || !sums->check_cnt)
		return;
	printf("oracle: %llu checks, %llu networks of members, %llu reasons and %llu "
	       "counts of replies judged, %llu limits\n",
	    (unsigned long long)sums->check_cnt, (unsigned long long)sums->judged_cnt,
	    (unsigned long long)sums->reason_cnt, (unsigned long long)sums->count_cnt,
	    (unsigned long long)sums->limit_cnt);
	for (unsigned i = 0; i < DOUBT_CNT; i++)
		if (sums->doubt_cnt[i])
			printf("  not judged: %llu of %s\n",
			    (unsigned long long)sums->doubt_cnt[i], text[i]);
}

static bool
oracle_read_file(struct oracle *o, const char *text)
{
	static struct custom_registry custom;
	struct conf_env env = {
		.class = registry_conf_classes(), .custom = &custom, .tests_only = true
	};
	struct diag d;

	custom_registry_init(&custom);
	diag_init(&d);
	sim_file_put(MODEL_FILE, text);
	o->conf = config_parse(MODEL_FILE, &env, &d);
	return o->conf;
}

/* oracle_empty - the attributes of a new route. */
static const struct attr_set *
oracle_empty(struct oracle *o)
{
	struct wire_set *w = arena_zalloc(&o->arena, sizeof(*w));
	struct attr_set *s = arena_zalloc(&o->arena, sizeof(*s));

	wire_fill(w);
	s->wire = w;
	return s;
}

static void
oracle_make(struct oracle *o)
{
	arena_init(&o->arena, MEM_OTHER, 65536);
	o->thread = filter_thread_new(NULL);
	o->empty = oracle_empty(o);
	o->table = arena_zalloc(&o->arena, (o->conf->table_cnt + 1) * sizeof(*o->table));
	for (unsigned i = 0; i < o->conf->table_cnt; i++)
		o->table[i].conf = o->conf->table[i];
	oracle_sessions(o);
	oracle_records(o);
	oracle_statics(o);
	oracle_import(o);
	oracle_pipes(o);
}

/* oracle_copy - in the copy. Returns: false: a difference. */
static bool
oracle_copy(struct world *w, const char *when)
{
	const char *unsure, *text = sim_daemon_file(&unsure);
	struct oracle o = { .w = w, .when = when, .sums = sums };

	__atomic_fetch_add(&sums->check_cnt, 1, __ATOMIC_RELAXED);
	if (unsure) {
		oracle_doubt(&o, DOUBT_FILE);
		return true;
	}
	oracle_ask(&o, w, text);
	sim_life_last();
	if (!oracle_read_file(&o, text)) { /* a file of the file has changed since */
		oracle_doubt(&o, DOUBT_FILE);
		return true;
	}
	oracle_make(&o);
	oracle_judge(&o);
	oracle_replies(&o);
	return !o.wrong;
}

void
oracle_check(struct world *w, const char *when)
{
	const char *unsure;
	int status;
	pid_t pid;

#ifdef TERN_TSAN /* the threads of ThreadSanitizer do not survive a copy of the process */
	return;
#endif
	if (!sums || !sim_daemon_runs(1) || !sim_daemon_file(&unsure))
		return;
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid < 0)
		sim_fail("no process for the oracle");
	if (!pid) {
		sim_trace(false, false);
		script_end();
		_Exit(!oracle_copy(w, when));
	}
	if (waitpid(pid, &status, 0) != pid || status)
		sim_fail("%s: members hold other routes than the oracle expects", when);
}
