/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a preview, and the walk over the tables in slices.
 *
 * I1  Between two steps the preview keeps names, numbers of tables and net ids; pointers
 *     to instances and channels are of the view with number view_nr, and a later view
 *     makes the preview find the objects again. Nets and paths live for one step.
 * I2  The tables and the configuration in force stay: the preview fails if another
 *     configuration comes into force.
 * I3  Each net is counted once: chunk_done has the handled nets of the present chunk.
 *
 * Loop: the owner's. Tested by test/net/test_preview.py. */
#include "nest/preview/preview.h"

#include "filter/filter.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/preview/preview_priv.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/os/clock.h"

#include <string.h>

/* ---- life ---- */

struct preview *
preview_new(struct tern *t, struct config_ref *now, struct config_ref *next)
{
	struct preview *pv = mem_zalloc(MEM_OTHER, sizeof(*pv));

	pv->tern = t;
	pv->now = config_ref_get(now);
	pv->next = config_ref_get(next);
	arena_init(&pv->arena, MEM_OTHER, 16384);
	arena_init(&pv->work, MEM_OTHER, 16384);
	return pv;
}

void
preview_add(struct preview *pv, const char *name, enum preview_fate fate,
    const struct conf_proto *cf, struct config_ref *conf)
{
	struct preview_member *m;

	pv->member = vec_room(MEM_OTHER, pv->member, &pv->member_cap, pv->member_cnt + 1,
	    sizeof(*pv->member));
	m = &pv->member[pv->member_cnt++];
	*m = (struct preview_member){ .fate = fate, .cf = cf };
	m->name = mem_strdup(MEM_OTHER, name);
	m->conf = cf ? config_ref_get(conf) : NULL;
}

void
preview_release(struct preview *pv, const char *name)
{
	for (unsigned i = 0; i < pv->member_cnt; i++)
		if (!strcmp(pv->member[i].name, name))
			pv->member[i].released = true;
}

void
preview_keep(struct preview *pv, uint32_t cnt)
{
	pv->keep = cnt;
}

void
preview_only(
    struct preview *pv, bool (*fn)(const void *arg, const char *name), const void *arg)
{
	pv->only = fn;
	pv->only_arg = arg;
}

static void
preview_routes_fini(struct preview_routes *r)
{
	for (unsigned k = 0; k < PREVIEW_CHANGES; k++)
		mem_free(MEM_OTHER, r->sample[k]);
}

static void
preview_member_fini(struct preview_member *m)
{
	for (unsigned i = 0; i < m->channel_cnt; i++) {
		preview_routes_fini(&m->channel[i].in);
		preview_routes_fini(&m->channel[i].out);
		mem_free(MEM_OTHER, m->channel[i].name);
	}
	mem_free(MEM_OTHER, m->channel);
	mem_free(MEM_OTHER, m->name);
	if (m->conf)
		config_ref_put(m->conf);
}

void
preview_free(TAKE struct preview *pv)
{
	for (unsigned i = 0; i < pv->member_cnt; i++)
		preview_member_fini(&pv->member[i]);
	mem_free(MEM_OTHER, pv->member);
	for (unsigned i = 0; i < pv->table_cnt; i++) {
		mem_free(MEM_OTHER, pv->table[i].reader);
		mem_free(MEM_OTHER, pv->table[i].source);
	}
	mem_free(MEM_OTHER, pv->table);
	arena_fini(&pv->arena);
	arena_fini(&pv->work);
	if (pv->ft)
		filter_thread_free(pv->ft);
	config_ref_put(pv->now);
	config_ref_put(pv->next);
	mem_free(MEM_OTHER, pv);
}

/* ---- the walk ---- */

/* preview_alike - true: both nets have equal best routes before and after. */
static bool
preview_alike(
    const struct table *t, const struct preview_net *a, const struct preview_net *b)
{
	const struct overlay_cand *x = a->cand_cnt ? &a->cand[a->cand_cnt - 1] : NULL;
	const struct overlay_cand *y = b->cand_cnt ? &b->cand[b->cand_cnt - 1] : NULL;

	if (a->changed != b->changed || !a->was != !b->was || !x != !y ||
	    a->lost_why != b->lost_why)
		return false;
	if (a->was && (path_set(a->was) != path_set(b->was) ||
			  path_src(a->was) != path_src(b->was) ||
			  path_origin_of(t, a->was) != path_origin_of(t, b->was)))
		return false;
	return !x || (x->set == y->set && x->from == y->from &&
			 path_src(x->path) == path_src(y->path));
}

/* preview_group - take @n, and the later nets of the chunk that are alike, to @group. */
static unsigned
preview_group(const struct table *t, struct preview_net **group, struct preview_net *n,
    const struct preview_net *end)
{
	unsigned cnt = 0;

	for (struct preview_net *m = n; m < end; m++) {
		if (m->done || !preview_alike(t, n, m))
			continue;
		m->done = true;
		group[cnt++] = m;
	}
	return cnt;
}

static void
preview_group_decide(struct preview *pv, const struct preview_table *t,
    struct preview_net *const *group, unsigned cnt)
{
	for (unsigned i = 0; i < t->reader_cnt; i++) {
		struct preview_channel *c = t->reader[i];

		if (group[0]->changed || c->export_changed)
			preview_export(pv, t, c, group, cnt);
	}
	for (unsigned i = 0; i < cnt; i++) {
		preview_net_done(pv, t, group[i]);
		pv->chunk_done |= 1ull << (group[i]->id - pv->pos);
	}
}

/* preview_chunk - handle the nets of the present chunk that are left. Returns: true: all
 * nets are handled. */
static bool
preview_chunk(struct preview *pv, struct preview_table *t, uint64_t until_ns)
{
	struct preview_net net[PREVIEW_CHUNK], *group[PREVIEW_CHUNK];
	unsigned cnt = 0, at = 0;

	arena_reset(&pv->arena);
	for (uint32_t id = pv->pos; id < pv->pos + PREVIEW_CHUNK; id++)
		if (!(pv->chunk_done >> (id - pv->pos) & 1) &&
		    preview_net_look(pv, t, id, &net[cnt]))
			cnt++;
	for (; at < cnt; at++) {
		if (net[at].done)
			continue;
		preview_group_decide(
		    pv, t, group, preview_group(t->table, group, &net[at], net + cnt));
		if (clock_now_ns() >= until_ns)
			break;
	}
	while (at < cnt && net[at].done)
		at++;
	for (unsigned i = 0; i < cnt; i++)
		preview_net_drop(&net[i]);
	return at == cnt;
}

/* preview_walk - a part of the present table. Returns: true: the table is done. */
static bool
preview_walk(struct preview *pv, uint64_t until_ns)
{
	struct preview_table *t = &pv->table[pv->at];
	uint32_t limit = table_id_limit(t->table);

	if (!t->import_changed && !t->export_changed)
		return true;
	while (pv->pos < limit) {
		if (preview_chunk(pv, t, until_ns)) {
			pv->pos += PREVIEW_CHUNK;
			pv->chunk_done = 0;
		}
		if (clock_now_ns() >= until_ns)
			return false;
	}
	return true;
}

bool
preview_step(struct preview *pv, uint64_t until_ns)
{
	const struct tern_view *v = tern_view_get(pv->tern);
	uint64_t begin_ns = clock_now_ns();

	if (pv->done)
		return true;
	if (v->conf != pv->now) {
		pv->failed = "another configuration came into force during the preview";
		pv->done = true;
		return true;
	}
	if (!pv->ft)
		pv->ft = filter_thread_new(&pv->tern->ifaces);
	if (!pv->begun || v->nr != pv->view_nr)
		preview_find(pv);
	for (unsigned i = pv->at; i < pv->table_cnt; i++)
		preview_sources(pv, &pv->table[i]);
	while (pv->at < pv->table_cnt && preview_walk(pv, until_ns)) {
		pv->at++;
		pv->pos = 0;
		pv->chunk_done = 0;
	}
	pv->done = pv->at == pv->table_cnt;
	if (pv->done)
		preview_finish(pv);
	pv->sums.spent_ns += clock_now_ns() - begin_ns;
	return pv->done;
}

const char *
preview_failed(const struct preview *pv)
{
	return pv->failed;
}

struct preview_sums
preview_sums(const struct preview *pv)
{
	return pv->sums;
}

unsigned
preview_member_cnt(const struct preview *pv)
{
	return pv->member_cnt;
}

const struct preview_member *
preview_member_at(const struct preview *pv, unsigned i)
{
	return &pv->member[i];
}

struct config_ref *
preview_next(const struct preview *pv)
{
	return pv->next;
}
