/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of longest matches under threads that ask while one writes.
 *
 * Prefixes of all lengths around a few addresses come and go. The writer keeps what each
 * of these addresses had as its longest match, by the number of the change; a reader must
 * get one of those between the last change that was done before it asked and the last one
 * that had begun when it got its answer (G1 of lpm.h). A value that was dropped is given
 * to another prefix a grace period later, and never may a reader find one whose prefix
 * doesn't contain the address. Prints nothing; aborts on a failure. Argument: changes of
 * each family (70,000; TERN_SOAK: 200,000; 8,000 under TSan). */
#include "lib/mt/atomic.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/lpm.h"
#include "test/lib/seed.h"
#include <pthread.h>

#define READERS  4
#define ADDRS    4
#define PREFIXES 48 /* of which each address has its share */
#define VALUES   4096
#define HISTORY  (1u << 16)

#ifdef TERN_TSAN
#define CHANGES     8000
#define CHANGES_ALL 8000
#else
#define CHANGES     70000 /* more than HISTORY */
#define CHANGES_ALL 200000
#endif

/* What the writer keeps: after change n, address k has answer[k][n % HISTORY]. */
static struct lpm *map;
static struct pub32 ended;
static struct pub64 begun, done;
static struct pub32 answer[ADDRS][HISTORY];
static struct pub32 prefix_of[VALUES + 1]; /* place in `prefix`; by value */
static struct prefix prefix[PREFIXES];
static uint32_t value[PREFIXES]; /* 0: it isn't there */
static struct ip_addr addr[ADDRS];

/* Values and nodes that wait for a grace period. */
struct waiting {
	struct rcu_node rcu;
	struct lpm_old *old;
	uint32_t value;
	struct waiting *next;
};

static struct pubptr over; /* struct waiting *: their grace period is over */
static uint32_t spare[VALUES], spare_cnt;

static void
stress_lpm_die(const char *what)
{
	fprintf(stderr, "stress_lpm: %s\n", what);
	abort();
}

/* ---- readers ---- */

static void
stress_lpm_ask(struct seed *s)
{
	uint32_t k = seed_below(s, ADDRS), got, at;
	uint64_t from = load_acquire64(&done), to; /* pairs: SLPMDONE */

	got = lpm_find(map, addr[k]);
	if (got) {
		at = load_acquire32(&prefix_of[got]); /* pairs: SLPMVALUE */
		if (!prefix_has_ip(&prefix[at], addr[k]))
			stress_lpm_die("a route of another prefix");
	}
	to = load_acquire64(&begun); /* pairs: SLPMBEGUN */
	if (to - from > HISTORY / 2)
		return; /* it slept for long: nobody knows any more */
	for (uint64_t n = from; n <= to; n++)
		if (load_acquire32(&answer[k][n % HISTORY]) ==
		    got) /* pairs: SLPMANSWER */
			return;
	stress_lpm_die("what never was the longest match");
}

static void *
stress_lpm_reader(void *arg)
{
	struct seed s = { (uintptr_t)arg };

	rcu_join();
	while (!load_acquire32(&ended)) { /* pairs: SLPMEND */
		for (unsigned i = 0; i < 64; i++)
			stress_lpm_ask(&s);
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

/* ---- the writer ---- */

static struct lpm_cover
stress_lpm_longest(struct ip_addr a, unsigned below)
{
	struct lpm_cover c = { 0 };

	for (uint32_t i = 0; i < PREFIXES; i++)
		if (value[i] && prefix[i].len < below && prefix_has_ip(&prefix[i], a) &&
		    (!c.value || prefix[i].len > c.len))
			c = (struct lpm_cover){ value[i], prefix[i].len };
	return c;
}

static void
stress_lpm_passed(struct rcu_node *n)
{
	struct waiting *w = container_of(n, struct waiting, rcu);
	void *head = load_relaxed_ptr(&over);

	do
		w->next = head;
	while (!cas_acq_rel_ptr(&over, &head, w)); /* pairs: SLPMOVER */
}

/* collect - those whose grace period is over. */
static void
stress_lpm_collect(void)
{
	struct waiting *w = xchg_acq_rel_ptr(&over, NULL), *next; /* pairs: SLPMOVER */

	for (; w; w = next) {
		next = w->next;
		if (w->value)
			spare[spare_cnt++] = w->value;
		if (w->old)
			lpm_old_free(map, w->old);
		mem_free(MEM_OTHER, w);
	}
}

static void
stress_lpm_wait_for(uint32_t gone)
{
	struct lpm_old *old = lpm_old_take(map);
	struct waiting *w;

	if (!old && !gone)
		return;
	w = mem_zalloc(MEM_OTHER, sizeof(*w));
	w->old = old;
	w->value = gone;
	rcu_free_later(&w->rcu, stress_lpm_passed);
}

/* toggle - prefix @i comes or goes, as change @n. */
static void
stress_lpm_toggle(uint32_t i, uint64_t n)
{
	struct lpm_cover c = stress_lpm_longest(prefix[i].addr, prefix[i].len);
	uint32_t was = value[i];

	value[i] = was ? 0 : spare[--spare_cnt];
	if (!was)
		store_release32(&prefix_of[value[i]], i); /* pairs: SLPMVALUE */
	for (uint32_t k = 0; k < ADDRS; k++)
		store_release32(&answer[k][n % HISTORY], /* pairs: SLPMANSWER */
		    stress_lpm_longest(addr[k], 129).value);
	store_release64(&begun, n); /* pairs: SLPMBEGUN */
	if (was)
		lpm_drop(map, &prefix[i], was, c);
	else
		lpm_put(map, &prefix[i], value[i], c);
	store_release64(&done, n); /* pairs: SLPMDONE */
	stress_lpm_wait_for(was);
}

static void
stress_lpm_draw(enum family fam)
{
	for (uint32_t k = 0; k < ADDRS; k++)
		addr[k] = fam == FAM_IP4 ? ip4(0x0a010200 + (k << 4))
					 : (struct ip_addr){ 0x20010db800000000ull,
						   (uint64_t)k << 60 };
	for (uint32_t i = 0; i < PREFIXES; i++) {
		unsigned len = (8 + i * 3) % (family_bits(fam) + 1);

		prefix[i] = prefix_make(addr[i % ADDRS], len, fam);
		for (uint32_t k = 0; k < i; k++)
			if (prefix_equal(&prefix[k], &prefix[i])) /* another one there */
				prefix[i] = prefix_make(
				    fam == FAM_IP4
					? ip4(0x0a020000 + (i << 8))
					: (struct ip_addr){ 0x20010db9ull << 32 | i, 0 },
				    fam == FAM_IP4 ? 24 : 64, fam);
	}
	for (uint32_t i = 1; i <= VALUES; i++)
		spare[i - 1] = i;
	spare_cnt = VALUES;
}

static void
stress_lpm_drain(void)
{
	rcu_sleep();
	rcu_drain();
	rcu_wake();
	stress_lpm_collect();
}

static void
one_family(struct seed *s, enum family fam, uint64_t changes)
{
	pthread_t id[READERS];
	size_t len, nodes;
	uint64_t n = 0;

	map = lpm_new(fam);
	stress_lpm_draw(fam);
	store_release32(&ended, 0); /* pairs: SLPMEND */
	store_release64(&begun, 0); /* pairs: SLPMBEGUN */
	store_release64(&done, 0); /* pairs: SLPMDONE */
	for (uint32_t k = 0; k < ADDRS; k++)
		store_release32(&answer[k][0], 0); /* pairs: SLPMANSWER */
	for (uintptr_t i = 0; i < READERS; i++)
		if (pthread_create(
			&id[i], NULL, stress_lpm_reader, (void *)(i + s->state)))
			stress_lpm_die("no thread");
	while (n < changes) {
		stress_lpm_toggle(seed_below(s, PREFIXES), ++n);
		rcu_quiesce();
		stress_lpm_collect();
		if (spare_cnt < VALUES / 4)
			stress_lpm_drain();
	}
	for (uint32_t i = 0; i < PREFIXES; i++)
		if (value[i])
			stress_lpm_toggle(i, ++n);
	store_release32(&ended, 1); /* pairs: SLPMEND */
	rcu_sleep();
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(id[i], NULL);
	rcu_wake();
	stress_lpm_drain();
	lpm_mem(map, &len, &nodes);
	if (nodes)
		stress_lpm_die("nodes are left");
	lpm_free(map);
}

int
main(int argc, char **argv)
{
	uint64_t changes = argc > 1 ? strtoull(argv[1], NULL, 0)
				    : seed_whole(CHANGES, CHANGES_ALL);
	struct seed s = seed_start("stress_lpm");

	rcu_join();
	one_family(&s, FAM_IP4, changes);
	one_family(&s, FAM_IP6, changes);
	if (mem_used(MEM_TABLE) || mem_used(MEM_OTHER))
		stress_lpm_die("something is left");
	rcu_leave();
	return 0;
}
