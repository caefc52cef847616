/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a table and of the table's nets, references, and grace periods. The other
 * files of nest/rib/table and nest/rib/stream call functions of this file. This file
 * calls no function of the other files.
 *
 * Loop: any thread under RCU reads; the table's writes, and opens memory for nets.
 * Tested by test/unit/test_table_net.c and test/prop/prop_spine.c. */
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

/* from here on huge pages, allocated as a whole with their first net */
#define NETS_HUGE (2u * VMEM_STEP)

/* ---- the table ---- */

uint64_t
table_number(const struct table *t)
{
	return t->nr;
}

const char *
table_name(const struct table *t)
{
	return t->name;
}

enum family
table_family(const struct table *t)
{
	return nlri_family(t->kind);
}

enum nlri_kind
table_kind(const struct table *t)
{
	return t->kind;
}

struct attr_store *
table_store(const struct table *t)
{
	return t->store;
}

uint32_t
table_batch(const struct table *t)
{
	return load_acquire32(&t->batch); /* pairs: TBATCH */
}

struct worker *
table_worker(struct table *t)
{
	return &t->worker;
}

void
table_use(struct table *t)
{
	counter32_add(&t->life.users, 1);
}

static void
table_get_unuse(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);

	mem_free(MEM_TABLE, m);
	counter32_sub_acq_rel(&t->life.users, 1);
	if (t->life.deleting)
		worker_again(w);
}

void
table_unuse(struct table *t)
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = table_get_unuse;
	worker_post(&t->worker, m);
}

bool
table_lends(const struct table *t)
{
	return !t->tern->process.thread_limit;
}

/* ---- grace periods ---- */

static void
table_grace_over(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct table_grace *g = container_of(m, struct table_grace, msg);

	t->life.graces--;
	g->end(t, g);
	if (t->life.deleting)
		worker_again(w);
}

static void
table_graced(struct rcu_node *n)
{
	struct table_grace *g = container_of(n, struct table_grace, rcu);

	worker_post(&g->table->worker, &g->msg);
}

void
table_grace(struct table *t, TAKE struct table_grace *g,
    void (*end)(struct table *t, TAKE struct table_grace *g))
{
	g->msg.handle = table_grace_over;
	g->table = t;
	g->end = end;
	t->life.graces++;
	rcu_free_later(&g->rcu, table_graced);
}

/* ---- nets ---- */

const struct net *
table_net_of(const struct table *t, uint32_t id)
{
	return table_net_ptr(t, id);
}

const struct net *
table_net_at(const struct table *t, uint32_t id)
{
	const struct net *n = table_net_ptr(t, id);

	return net_first(n) ? n : NULL;
}

uint32_t
table_id_limit(const struct table *t)
{
	return stream_limit(&t->best);
}

uint32_t
net_id(const struct table *t, const struct net *n)
{
	return (uint32_t)((size_t)((const uint8_t *)n - t->net.at) / t->net.size);
}

struct prefix
net_prefix(const struct table *t, const struct net *n)
{
	return nlri_prefix(t->kind, n->word, n->head);
}

struct nlri
net_nlri(const struct table *t, const struct net *n)
{
	struct nlri k = { .head = n->head };

	for (unsigned i = 0; i < t->net.words; i++)
		k.word[i] = n->word[i];
	return k;
}

void
net_view(
    const struct table *t, const struct net *n, struct route_view *r, struct fnet *what)
{
	nlri_view(t->kind, n->word, n->head, r, what);
}

const struct path *
net_best(const struct net *n)
{
	return near_load_acquire(&n->best); /* pairs: TBEST */
}

const struct path *
net_first(const struct net *n)
{
	return near_load_acquire(&n->paths); /* pairs: TPATH */
}

void
table_nets_open(struct table *t, uint32_t cnt)
{
	size_t open = load_relaxed64(&t->net_open), len = (size_t)cnt * t->net.size;

	if (likely(len <= open))
		return;
	vmem_open(MEM_TABLE, t->net.at + open, open >= NETS_HUGE);
	store_relaxed64(&t->net_open, open + VMEM_STEP);
}
