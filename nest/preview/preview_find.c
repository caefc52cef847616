/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instances, channels and tables of the present view, and the end of a preview.
 *
 * Loop: the owner's, under RCU. Tested by test/net/test_preview.py. */
#include "nest/preview/preview_priv.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_try.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/preview/preview.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

#include <string.h>

/* ---- tables ---- */

static struct preview_table *
find_table(struct preview *pv, const struct table *t)
{
	for (unsigned i = 0; i < pv->table_cnt; i++)
		if (pv->table[i].table == t)
			return &pv->table[i];
	return NULL;
}

/* find_tables - the tables stay as long as the configuration in force. */
static void
find_tables(struct preview *pv, const struct tern_view *v)
{
	pv->table = mem_zalloc(MEM_OTHER, (v->table_cnt + 1) * sizeof(*pv->table));
	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (nlri_is_ip(table_kind(v->table[i])))
			pv->table[pv->table_cnt++].table = v->table[i];
}

static void
find_reader(struct preview_table *t, struct preview_channel *c)
{
	t->reader = vec_room(
	    MEM_OTHER, t->reader, &t->reader_cap, t->reader_cnt + 1, sizeof(*t->reader));
	t->reader[t->reader_cnt++] = c;
	t->export_changed |= c->export_changed;
}

/* ---- channels ---- */

/* find_remote_as - another AS makes another member. */
static uint32_t
find_remote_as(const struct conf_proto *cf)
{
	return cf->class->remote_as ? cf->class->remote_as(cf) : 0;
}

/* find_quarantine - the change of the quarantine (nest/daemon/order/quarantine.c). */
static enum try_quarantine
find_quarantine(const struct preview_member *m, const struct channel *ch)
{
	const struct conf_proto *was = proto_conf_get(channel_proto(ch));
	bool now = channel_in_quarantine(ch);
	bool begins = !conf_member_quarantine(was) ||
		      find_remote_as(was) != find_remote_as(m->cf);
	bool next = conf_member_quarantine(m->cf) && (now || begins) && !m->released;

	return now == next ? TRY_QUARANTINE_STAYS : next ? TRY_QUARANTINED : TRY_RELEASED;
}

/* find_changes - compare the channel with the new configuration. */
static void
find_changes(struct preview_member *m, struct preview_channel *c)
{
	const struct conf_proto *was = proto_conf_get(channel_proto(c->ch));
	const struct conf_channel *cf = channel_conf(c->ch);
	uint32_t change;

	/* an instance of another kind of protocol has none of the routes */
	if (m->cf && m->cf->class == was->class && m->fate != PREVIEW_DISABLED)
		c->cf = conf_channel_like(m->cf, cf);
	if (!c->cf) {
		c->import_changed = c->export_changed = true;
		return;
	}
	change = conf_channel_diff(was, cf, m->cf, c->cf);
	c->import_changed = change & CONF_CH_IMPORT;
	c->export_changed = change & CONF_CH_EXPORT;
	c->known = (uint8_t)channel_try_known(c->ch);
	c->known_matters = c->import_changed && c->known != TRY_ALL;
	c->quarantine = (uint8_t)find_quarantine(m, c->ch);
	c->import_changed |= c->quarantine != TRY_QUARANTINE_STAYS;
	c->export_changed |= c->quarantine != TRY_QUARANTINE_STAYS;
	if (strcmp(cf->table->name, c->cf->table->name) != 0)
		c->skipped = "the channel moves to another table";
	else if (channel_from(c->ch) != channel_table(c->ch))
		c->skipped = "the table is an overlay";
}

static bool
find_previewed(const struct channel *ch)
{
	return nlri_is_ip(table_kind(channel_table(ch)));
}

/* find_channels - make the channels of @m, of the instance @p. */
static void
find_channels(struct preview_member *m, const struct proto *p)
{
	struct channel *ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */
	struct proto_member who = { 0 };
	unsigned cnt = 0;

	if (p->cls->member.describe && p->cls->member.describe(p, &who))
		m->as = who.as;
	m->since_ns = proto_status_get(p)->since_ns;
	m->session = p->cls->member.describe && proto_status_get(p)->state == PS_UP;
	for (; ch; ch = channel_next(ch))
		cnt += find_previewed(ch);
	m->channel = mem_zalloc(MEM_OTHER, (cnt + 1) * sizeof(*m->channel));
	ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */
	for (; ch; ch = channel_next(ch)) {
		struct preview_channel *c = &m->channel[m->channel_cnt];

		if (!find_previewed(ch))
			continue;
		m->channel_cnt++;
		c->of = m;
		c->name = mem_strdup(MEM_OTHER, channel_name(ch));
		c->ch = ch;
		find_changes(m, c);
	}
}

/* find_channels_again - @p: the instance of @m now; NULL: gone. */
static void
find_channels_again(struct preview_member *m, const struct proto *p)
{
	for (unsigned i = 0; i < m->channel_cnt; i++) {
		struct preview_channel *c = &m->channel[i];

		c->ch = p ? load_acquire_ptr(&p->channels) : NULL; /* pairs: PCHAN */
		while (c->ch && strcmp(channel_name(c->ch), c->name) != 0)
			c->ch = channel_next(c->ch);
	}
	m->moved |= !p || proto_status_get(p)->since_ns != m->since_ns;
}

/* find_read - let tables know the channels that read them. */
static void
find_read(struct preview *pv, struct preview_member *m)
{
	for (unsigned i = 0; i < m->channel_cnt; i++) {
		struct preview_channel *c = &m->channel[i];
		struct channel_trial trial = {
			.cf = c->cf, .conf = m->conf, .quarantine = c->quarantine
		};
		struct preview_table *t, *own;

		if (!c->ch)
			continue;
		own = find_table(pv, channel_table(c->ch));
		t = find_table(pv, channel_from(c->ch));
		if (own && c->import_changed)
			own->import_changed = true;
		if (!t || !channel_exports(c->ch) || !channel_seems_up(c->ch) ||
		    (c->cf && c->skipped) || !preview_wants(pv, m))
			continue;
		c->by_net = channel_try_by_net(c->ch, &trial);
		find_reader(t, c);
	}
}

void
preview_find(struct preview *pv)
{
	const struct tern_view *v = tern_view_get(pv->tern);
	uint32_t next = 0;

	if (!pv->begun)
		find_tables(pv, v);
	for (unsigned i = 0; i < pv->table_cnt; i++)
		pv->table[i].reader_cnt = 0;
	for (unsigned i = 0; i < pv->member_cnt; i++) {
		struct preview_member *m = &pv->member[i];
		const struct proto *p = NULL;

		/* members and view have nearly one order */
		for (uint32_t k = 0; k < v->proto_cnt && !p; k++) {
			uint32_t at = (next + k) % v->proto_cnt;

			if (!strcmp(v->proto[at]->name, m->name)) {
				p = v->proto[at];
				next = at + 1;
			}
		}
		if (pv->begun)
			find_channels_again(m, p);
		else if (p)
			find_channels(m, p);
		find_read(pv, m);
	}
	pv->begun = true;
	pv->view_nr = v->nr;
}

void
preview_sources(struct preview *pv, struct preview_table *t)
{
	uint32_t most = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < pv->member_cnt; i++)
			for (unsigned k = 0; k < pv->member[i].channel_cnt; k++) {
				struct preview_channel *c = &pv->member[i].channel[k];
				uint32_t id;

				if (!c->ch || channel_table(c->ch) != t->table)
					continue;
				id = channel_source_id(c->ch);
				if (id == NO_FEEDER)
					continue;
				if (pass)
					t->source[id] = c;
				else if (id >= most)
					most = id + 1;
			}
		if (pass)
			break;
		if (most > t->source_cnt) {
			mem_free(MEM_OTHER, t->source);
			t->source = mem_alloc(MEM_OTHER, most * sizeof(*t->source));
			t->source_cnt = most;
		}
		if (t->source_cnt)
			memset(t->source, 0, t->source_cnt * sizeof(*t->source));
	}
}

/* ---- the end ---- */

static void
find_limit(struct preview_channel *c, enum limit_kind k, const struct conf_limit *l,
    uint64_t now, uint64_t next)
{
	if (l->action == LIMIT_OFF || next <= l->max || now > l->max)
		return;
	c->limit[c->limit_cnt++] = (struct preview_limit){
		.kind = k, .action = l->action, .max = l->max, .routes = next
	};
}

static uint64_t
find_next(const struct preview_routes *r)
{
	uint64_t plus = r->now + r->cnt[PREVIEW_GAINED];

	return plus > r->cnt[PREVIEW_LOST] ? plus - r->cnt[PREVIEW_LOST] : 0;
}

static void
find_finish_channel(struct preview *pv, struct preview_channel *c)
{
	const struct channel_stats *st = c->ch ? channel_stats_get(c->ch) : NULL;
	struct preview_sums *sum = &pv->sums;
	uint64_t received = 0;

	if (st) {
		c->in.now = counter64_get(&st->in.imported);
		c->out.now = counter64_get(&st->exported);
		received = c->in.now + counter64_get(&st->in.filtered);
	}
	c->in.next = find_next(&c->in);
	c->out.next = find_next(&c->out);
	sum->unknown += c->known_matters && c->in.now;
	sum->skipped += c->cf && c->skipped;
	if (c->of->session) {
		sum->now += c->out.now;
		sum->next += c->out.next;
		for (unsigned k = 0; k < PREVIEW_CHANGES; k++)
			sum->cnt[k] += c->out.cnt[k];
	}
	if (!c->cf || !st)
		return;
	find_limit(c, LIMIT_IMPORT, &c->cf->limit.import, c->in.now, c->in.next);
	find_limit(c, LIMIT_EXPORT, &c->cf->limit.export, c->out.now, c->out.next);
	if (c->cf->limit.receive.max < channel_conf(c->ch)->limit.receive.max)
		find_limit(c, LIMIT_RECEIVE, &c->cf->limit.receive, 0, received);
}

bool
preview_closes(const struct preview_member *m)
{
	if (!m->session)
		return false;
	if (m->fate != PREVIEW_STAYS)
		return true;
	for (unsigned i = 0; i < m->channel_cnt; i++)
		for (unsigned k = 0; k < m->channel[i].limit_cnt; k++)
			if (m->channel[i].limit[k].action > LIMIT_BLOCK)
				return true;
	return false;
}

void
preview_finish(struct preview *pv)
{
	for (unsigned i = 0; i < pv->member_cnt; i++) {
		struct preview_member *m = &pv->member[i];

		for (unsigned k = 0; k < m->channel_cnt; k++) {
			const struct channel *ch = m->channel[k].ch;

			m->moved |= !ch ||
				    proto_status_get(channel_proto(ch))->since_ns !=
					m->since_ns;
			find_finish_channel(pv, &m->channel[k]);
		}
		pv->sums.sessions += m->session;
		pv->sums.closed += preview_closes(m);
	}
}
