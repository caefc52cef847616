/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused routes: a hash of fixed size with chains, and a list by age.
 *
 * I1  An entry is complete when linked, and immutable: a new refusal replaces the entry.
 *     Unlinked entries are freed a grace period later, in batches (rcu_free_later for
 *     each entry is too expensive).
 * I2  Filters refuse at few places, so entries share places. A place lives as long as its
 *     entries, and is freed in the same way. The text about a route belongs to its entry.
 *
 * Loop: the channel's worker; readers: any thread. */
#include "nest/channel/import/reject_memory.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/nlri.h"

#define BATCH_MAX   64
#define REJECT_LENS 3 /* words for the lengths from 0 to 128 */

struct place {
	struct reject_at at;
	uint32_t users;
	struct place *next; /* next used place, or next of a batch */
};

struct reject {
	struct pubptr chain; /* struct reject * */
	struct reject *older, *newer; /* older: also next of a batch */
	struct place *place;
	char *said, *comms; /* NULL: nothing */
	uint32_t rid;
	struct nlri net;
};

/* Objects that wait for a grace period. */
struct batch {
	struct rcu_node rcu;
	struct reject *rejects; /* by older */
	struct place *places;
};

struct reject_memory {
	enum nlri_kind kind;
	uint32_t cnt;
	struct reject *oldest, *newest;
	struct place *places;
	struct batch *dead; /* collected so far; NULL: none */
	uint32_t dead_cnt;
	struct pub32 changes; /* reject_changes */
	struct pub64 lens[REJECT_LENS]; /* bit n: entries had the length n */
	struct pubptr bucket[REJECT_BUCKETS];
};

static void
memory_free_place(TAKE struct place *p)
{
	mem_free(MEM_PROTO, (char *)(uintptr_t)p->at.filter);
	mem_free(MEM_PROTO, (char *)(uintptr_t)p->at.file);
	mem_free(MEM_PROTO, (char *)(uintptr_t)p->at.by.function);
	mem_free(MEM_PROTO, (char *)(uintptr_t)p->at.by.file);
	mem_free(MEM_PROTO, p);
}

static void
memory_free_batch(struct rcu_node *n)
{
	struct batch *b = container_of(n, struct batch, rcu);

	while (b->rejects) {
		struct reject *r = b->rejects;

		b->rejects = r->older;
		mem_free(MEM_PROTO, r->said);
		mem_free(MEM_PROTO, r->comms);
		mem_free(MEM_PROTO, r);
	}
	while (b->places) {
		struct place *p = b->places;

		b->places = p->next;
		memory_free_place(p);
	}
	mem_free(MEM_PROTO, b);
}

/* ---- places ---- */

static bool
reject_memory_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static OWNED char *
reject_memory_copy(const char *text)
{
	return text ? mem_strdup(MEM_PROTO, text) : NULL;
}

static bool
memory_is_at(const struct place *p, const struct reject_at *at)
{
	return p->at.reason == at->reason && p->at.line == at->line &&
	       p->at.failed == at->failed && p->at.by.line == at->by.line &&
	       p->at.by.returned == at->by.returned &&
	       reject_memory_same_text(p->at.by.file, at->by.file) &&
	       reject_memory_same_text(p->at.by.function, at->by.function) &&
	       reject_memory_same_text(p->at.file, at->file) &&
	       reject_memory_same_text(p->at.filter, at->filter);
}

static struct place *
memory_place_get(struct reject_memory *m, const struct reject_at *at)
{
	struct place *p = m->places;

	while (p && !memory_is_at(p, at))
		p = p->next;
	if (!p) {
		p = mem_zalloc(MEM_PROTO, sizeof(*p));
		p->at.reason = at->reason;
		p->at.filter = reject_memory_copy(at->filter);
		p->at.file = reject_memory_copy(at->file);
		p->at.line = at->line;
		p->at.failed = at->failed;
		p->at.by = at->by;
		p->at.by.function = reject_memory_copy(at->by.function);
		p->at.by.file = reject_memory_copy(at->by.file);
		p->next = m->places;
		m->places = p;
	}
	p->users++;
	return p;
}

/* ---- entries ---- */

static struct pubptr *
reject_memory_bucket_of(const struct reject_memory *m, const struct nlri *n)
{
	uint64_t h = nlri_hash(m->kind, 0, n->word, n->head);

	return (struct pubptr *)(uintptr_t)&m->bucket[h % REJECT_BUCKETS];
}

static bool
memory_is_net(const struct reject_memory *m, const struct reject *r, const struct nlri *n)
{
	return nlri_same(nlri_words(m->kind), r->net.word, r->net.head, n);
}

static struct reject *
reject_memory_find(const struct reject_memory *m, const struct nlri *n, uint32_t rid)
{
	struct reject *r = load_relaxed_ptr(reject_memory_bucket_of(m, n));

	while (r && !(r->rid == rid && memory_is_net(m, r, n)))
		r = load_relaxed_ptr(&r->chain);
	return r;
}

static struct batch *
memory_dead_of(struct reject_memory *m)
{
	if (!m->dead)
		m->dead = mem_zalloc(MEM_PROTO, sizeof(*m->dead));
	return m->dead;
}

static void
memory_drop_place(struct reject_memory *m, struct place *p)
{
	struct place **at = &m->places;

	if (--p->users)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->next = memory_dead_of(m)->places;
	m->dead->places = p;
}

static void
memory_unlink_chain(struct reject_memory *m, struct reject *r)
{
	struct pubptr *at = reject_memory_bucket_of(m, &r->net);
	struct reject *x;

	while ((x = load_relaxed_ptr(at)) != r)
		at = &x->chain;
	store_release_ptr(at, load_relaxed_ptr(&r->chain)); /* pairs: REJECT */
}

/* reject_memory_drop - @r goes, a grace period later. */
static void
reject_memory_drop(struct reject_memory *m, struct reject *r)
{
	memory_unlink_chain(m, r);
	*(r->older ? &r->older->newer : &m->oldest) = r->newer;
	*(r->newer ? &r->newer->older : &m->newest) = r->older;
	m->cnt--;
	store_relaxed32(&m->changes, load_relaxed32(&m->changes) + 1);
	memory_drop_place(m, r->place);
	r->older = memory_dead_of(m)->rejects;
	m->dead->rejects = r;
	if (++m->dead_cnt < BATCH_MAX)
		return;
	rcu_free_later(&m->dead->rcu, memory_free_batch);
	m->dead = NULL;
	m->dead_cnt = 0;
}

/* reject_memory_text_of - a copy of @text, truncated; NULL: no text. */
static OWNED char *
reject_memory_text_of(const char *text)
{
	size_t len = text ? strnlen(text, REJECT_SAID_MAX) : 0;
	char *to;

	if (!len)
		return NULL;
	to = mem_alloc(MEM_PROTO, len + 1);
	memcpy(to, text, len);
	to[len] = 0;
	return to;
}

static void
reject_memory_add(struct reject_memory *m, const struct nlri *n, uint32_t rid,
    const struct reject_at *at)
{
	struct reject *r = mem_zalloc(MEM_PROTO, sizeof(*r));
	struct pubptr *b = reject_memory_bucket_of(m, n);

	r->net = *n;
	r->rid = rid;
	r->place = memory_place_get(m, at);
	r->said = reject_memory_text_of(at->said);
	r->comms = reject_memory_text_of(at->comms);
	r->older = m->newest;
	*(m->newest ? &m->newest->newer : &m->oldest) = r;
	m->newest = r;
	m->cnt++;
	store_relaxed32(&m->changes, load_relaxed32(&m->changes) + 1);
	store_relaxed_ptr(&r->chain, load_relaxed_ptr(b));
	store_release_ptr(b, r); /* pairs: REJECT */
}

/* reject_memory_note_len - the length of @n, which a net of another kind than IP may
 * lack. */
static void
reject_memory_note_len(struct reject_memory *m, const struct nlri *n)
{
	unsigned len = n->head & 0xff;

	if (len / 64 < REJECT_LENS)
		store_relaxed64(&m->lens[len / 64],
		    load_relaxed64(&m->lens[len / 64]) | UINT64_C(1) << len % 64);
}

void
reject_note(struct reject_memory *m, uint32_t max, const struct nlri *n, uint32_t rid,
    const struct reject_at *at)
{
	struct reject *was = reject_memory_find(m, n, rid);

	if (was)
		reject_memory_drop(m, was);
	while (m->cnt && m->cnt >= max)
		reject_memory_drop(m, m->oldest);
	if (!max)
		return;
	reject_memory_note_len(m, n);
	reject_memory_add(m, n, rid, at);
}

void
reject_forget(struct reject_memory *m, const struct nlri *n, uint32_t rid)
{
	struct reject *r = m->cnt ? reject_memory_find(m, n, rid) : NULL;

	if (r)
		reject_memory_drop(m, r);
}

void
reject_clear(struct reject_memory *m)
{
	while (m->oldest)
		reject_memory_drop(m, m->oldest);
}

uint32_t
reject_cnt(const struct reject_memory *m)
{
	return m->cnt;
}

struct reject_memory *
reject_memory_new(enum nlri_kind kind)
{
	struct reject_memory *m = mem_zalloc(MEM_PROTO, sizeof(*m));

	m->kind = kind;
	return m;
}

void
reject_memory_free(TAKE struct reject_memory *m)
{
	if (!m)
		return;
	reject_clear(m);
	if (m->dead)
		memory_free_batch(&m->dead->rcu);
	mem_free(MEM_PROTO, m);
}

/* ---- any thread ---- */

const struct reject *
reject_next(const struct reject_memory *m, const struct nlri *n, const struct reject *r)
{
	r = load_acquire_ptr(
	    r ? &r->chain : reject_memory_bucket_of(m, n)); /* pairs: REJECT */
	while (r && !memory_is_net(m, r, n))
		r = load_acquire_ptr(&r->chain); /* pairs: REJECT */
	return r;
}

bool
reject_has_len(const struct reject_memory *m, unsigned len)
{
	return len / 64 < REJECT_LENS &&
	       load_relaxed64(&m->lens[len / 64]) >> len % 64 & 1;
}

uint32_t
reject_changes(const struct reject_memory *m)
{
	return load_relaxed32(&m->changes);
}

const struct reject *
reject_in(const struct reject_memory *m, uint32_t bucket, const struct reject *r)
{
	return load_acquire_ptr(r ? &r->chain : &m->bucket[bucket]); /* pairs: REJECT */
}

const struct nlri *
reject_net(const struct reject *r)
{
	return &r->net;
}

struct reject_at
reject_where(const struct reject *r)
{
	struct reject_at at = r->place->at;

	at.said = r->said;
	at.comms = r->comms;
	return at;
}

uint32_t
reject_rid(const struct reject *r)
{
	return r->rid;
}
