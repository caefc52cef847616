/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export of what nobody changes: a reader takes a segment's own message as it lies there.
 * What does that cost a segment and reader, and does it allocate or count anything?
 *
 * SEGMENTS segments of one net each, every one with attributes of its own, are read by
 * peers of one class. The first reader makes the messages; what the others do is
 * measured, from the journal to the session's queue, which counts the octets and keeps
 * nothing. Allocations are counted by functions of our own in malloc's place,
 * instructions by callgrind, which runs this program again (`--counted`) and looks at
 * export_all alone; without valgrind that row is left out. Its budget has room for
 * another compiler, not for a count that two threads share: with what stands around it
 * that is a dozen instructions more. */
#define RIG_PEERS 8
#include "test/lib/spine_rig.h"

#include "test/bench/bench.h"

#define SEGMENTS 1000
/* readers that are measured: from this peer on; 0 announces, 1 makes the messages */
#define FIRST   2
#define READERS (RIG_PEERS - FIRST)
#define ROUNDS  15
#define CALLGRIND                                                                        \
	"valgrind --tool=callgrind --toggle-collect=export_all "                         \
	"--callgrind-out-file=/dev/null "                                                \
	"'%s' --counted 2>&1"

/* What glibc's are called by others than malloc. */
void *__libc_malloc(size_t len);
void *__libc_calloc(size_t cnt, size_t len);
void *__libc_realloc(void *p, size_t len);

static _Thread_local unsigned allocations;

void *
malloc(size_t len)
{
	allocations++;
	return __libc_malloc(len);
}

void *
calloc(size_t cnt, size_t len)
{
	allocations++;
	return __libc_calloc(cnt, len);
}

void *
realloc(void *p, size_t len)
{
	allocations++;
	return __libc_realloc(p, len);
}

/* One reader's turn. */
struct turn {
	struct rig_peer *pe;
	uint64_t ns;
	unsigned allocations;
	uint64_t built; /* messages */
};

/* export_all - what callgrind looks at. */
__attribute__((noinline)) void
export_all(struct rig_peer *pe)
{
	rig_do_export(pe);
}

static void
take_turn(void *arg)
{
	struct turn *t = arg;
	uint64_t from;

	allocations = 0;
	t->built = counter64_get(&t->pe->ch->stats.messages_built);
	from = clock_thread_cpu_ns();
	export_all(t->pe);
	t->ns = clock_thread_cpu_ns() - from;
	t->allocations = allocations;
	t->built = counter64_get(&t->pe->ch->stats.messages_built) - t->built;
}

/* Segments that nobody has read, with other attributes each @round. */
static void
bench_export_announce(unsigned round)
{
	for (uint32_t i = 0; i < SEGMENTS; i++)
		rig_announce(0, i, 1, 100, round * SEGMENTS + i);
}

/* All read what has been announced. @ns: a segment's of each reader; Returns: all
 * allocations of those measured. */
static unsigned
bench_export_read_all(double *ns)
{
	unsigned cnt = 0;

	rig_export(1);
	for (unsigned k = 0; k < READERS; k++) {
		struct turn t = { .pe = rig.peer[FIRST + k] };
		uint32_t had = t.pe->msg_cnt;

		rig_in(&t.pe->p.worker, take_turn, &t);
		ASSERT(t.pe->msg_cnt - had == SEGMENTS);
		ns[k] = (double)t.ns / SEGMENTS;
		ASSERT(!t.built); /* those who come later make none */
		cnt += t.allocations;
	}
	return cnt;
}

static void
bench_export_start(void)
{
	rig_start(NULL);
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig.peer[k]->room = SIZE_MAX / 2;
		rig.peer[k]->count_only = true;
		spine_rig_up(k);
		rig_export(k);
	}
	bench_export_announce(
	    0); /* from now on they hold all nets and have what room they need */
	for (unsigned k = 1; k < RIG_PEERS; k++)
		rig_export(k);
}

/* The instructions of all readers of one round. Returns: 0 if they can't be counted
 * here. */
static double
count_once(const char *self)
{
	char command[512], line[256];
	double cnt = 0;
	FILE *f;

	snprintf(command, sizeof(command), CALLGRIND, self);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "Collected :");

		if (at)
			cnt = strtod(at + strlen("Collected :"), NULL);
	}
	return f && pclose(f) == 0 ? cnt : 0;
}

/* The least of a few: a wake-up that comes while a reader reads adds its own. */
static double
bench_export_instructions(const char *self)
{
	double least = 0, cnt;

	for (unsigned i = 0; i < 3; i++) {
		cnt = count_once(self);
		if (cnt > 0 && (least == 0 || cnt < least))
			least = cnt;
	}
	return least;
}

static void
bench_export_rows(const char *self)
{
	struct bench_row r = { .unit = "ns" };
	double ns[ROUNDS * READERS], cnt;
	unsigned allocs = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		bench_export_announce(i + 1);
		allocs += bench_export_read_all(ns + i * READERS);
	}
	qsort(ns, ARRAY_LEN(ns), sizeof(ns[0]), bench_cmp);
	r.name = "a plain segment and reader";
	r.best = ns[0];
	r.median = ns[ARRAY_LEN(ns) / 2];
	bench_row(&r);
	r = (struct bench_row){ .unit = "a thousand",
		.name = "the same, allocations",
		.best = (double)allocs / ROUNDS / READERS,
		.budget = 1 };
	r.median = r.best;
	bench_row(&r);
	cnt = bench_export_instructions(self) / SEGMENTS / READERS;
	if (cnt == 0) {
		puts("the same, instructions: skipped, callgrind isn't there or can't "
		     "run this");
		return;
	}
	r = (struct bench_row){ .name = "the same",
		.budget = 110,
		.unit = "instructions",
		.best = cnt,
		.median = cnt };
	bench_row(&r);
}

int
main(int argc, char **argv)
{
	double ns[READERS];

	if (argc == 2 && !strcmp(argv[1], "--counted")) {
		bench_export_start();
		bench_export_announce(1);
		bench_export_read_all(ns);
		return rig_finish(NULL);
	}
	bench_start(argc, argv, "export");
	bench_export_start();
	bench_export_rows(argv[0]);
	rig_finish(NULL);
	return bench_end();
}
