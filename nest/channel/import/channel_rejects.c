/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes refused by checks, a channel's import filter and limits, if the table does not
 * keep them: prefixes, and the line at which the filter ended
 * (nest/channel/import/reject_memory.h).
 *
 * Accepted routes cost nothing here. So the memory may still have a route that was
 * refused before and accepted later; a reader looks into the table first.
 *
 * Loop: the session's; for routes kept out by limits, the table's (limit_rejects).
 * Tested by test/unit/test_channel_import.c and test/net/test_why.py. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_rejects_priv.h"
#include "nest/channel/import/kept_set.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"

/* rejects_memory_of - @at: of the writer's. */
static struct reject_memory *
rejects_memory_of(const struct channel *ch, struct pubptr *at)
{
	struct reject_memory *m = load_relaxed_ptr(at);

	if (!m) {
		m = reject_memory_new(ch->kind);
		store_release_ptr(at, m); /* pairs: REJMEM */
	}
	return m;
}

/* channel_rejects_take_one - read the net at @nlri and its path identifier. Returns:
 * octets. */
static uint32_t
channel_rejects_take_one(
    const struct channel *ch, const uint8_t *nlri, struct nlri *n, uint32_t *rid)
{
	*rid = ch->imp.id_len ? get_be32(nlri) : 0;
	return ch->imp.id_len + nlri_get(ch->kind, n, nlri + ch->imp.id_len);
}

static void
channel_rejects_note(
    struct channel *ch, const uint8_t *nlri, uint32_t len, const struct reject_at *at)
{
	uint32_t rid;
	struct nlri n;

	for (const uint8_t *end = nlri + len; nlri < end;) {
		nlri += channel_rejects_take_one(ch, nlri, &n, &rid);
		reject_note(rejects_memory_of(ch, &ch->rejected.memory), ch->cf->rejects,
		    &n, rid, at);
	}
}

/* rejects_add_list - print the communities of @now that @was lacks. */
static void
rejects_add_list(struct strbuf *b, enum comm_kind k, const struct attr_item *was,
    const struct attr_item *now)
{
	unsigned size = comm_size(k);

	for (uint32_t i = 0; i + size <= now->len; i += size) {
		struct comm c = comm_get(k, now->val + i);

		if (comm_has(k, was->val, was->len, c))
			continue;
		if (b->len)
			strbuf_addc(b, ' ');
		comm_print_one(b, k, c);
	}
}

void
channel_added_comms(struct strbuf *b, const struct attr_edit *e)
{
	static const uint8_t code[] = { [COMM_STD] = ATTR_COMMUNITY,
		[COMM_EXT] = ATTR_EXT_COMMUNITY,
		[COMM_LARGE] = ATTR_LARGE_COMMUNITY };

	for (unsigned k = 0; attr_edit_wire_changed(e) && k < ARRAY_LEN(code); k++) {
		struct attr_item now, was = { .len = 0 };

		if (!attr_edit_get(e, code[k], &now))
			continue;
		if (!wire_find(e->base->wire, code[k], &was))
			was.len = 0;
		rejects_add_list(b, (enum comm_kind)k, &was, &now);
	}
}

void
channel_note_refused(
    struct channel *ch, const struct attr_edit *e, const uint8_t *nlri, uint32_t len)
{
	const struct filter *f = ch->cf->import;
	struct reject_at at = { .reason = REASON_IMPORT_FILTER,
		.filter = filter_name(f) };
	struct strbuf comms;

	if (channel_notes_pre(ch) || !ch->cf->rejects)
		return;
	strbuf_init(&comms);
	if (e && filter_where(channel_filter_thread(ch), f, &at.file, &at.line)) {
		at.by = filter_decided_by(channel_filter_thread(ch), f);
		at.said = filter_said(channel_filter_thread(ch));
		at.failed = filter_failed(channel_filter_thread(ch));
		channel_added_comms(&comms, e);
		at.comms = comms.len ? comms.s : NULL;
	}
	channel_rejects_note(ch, nlri, len, &at);
	strbuf_fini(&comms);
}

static void
channel_note_dropped(struct channel *ch, enum reason why, const char *what,
    const uint8_t *nlri, uint32_t len)
{
	struct reject_at at = { .reason = why, .said = what };

	if (ch->cf->rejects)
		channel_rejects_note(ch, nlri, len, &at);
}

void
channel_import_invalid(struct channel *ch, enum reason why, uint32_t cnt)
{
	counter64_bump(&ch->stats.imp_upd_received, cnt);
	counter64_bump(&ch->stats.imp_upd_invalid, cnt);
	counter64_bump(&ch->stats.reason[why], cnt);
}

void
channel_import_bogus(struct channel *ch)
{
	channel_import_invalid(ch, REASON_BOGUS_NETWORK, 1);
}

void
channel_refuse(struct channel *ch, enum reason why, const char *what, const uint8_t *nlri,
    uint32_t nlri_len)
{
	int cnt = ch->imp.id_len ? nlri_cnt_ids(ch->kind, nlri, nlri_len)
				 : nlri_cnt(ch->kind, nlri, nlri_len);

	ASSERT(cnt >= 0);
	channel_import_invalid(ch, why, (uint32_t)cnt);
	channel_note_dropped(ch, why, what, nlri, nlri_len);
}

void
channel_note_kept_out(
    struct channel *ch, enum reason why, const struct nlri *n, uint32_t rid)
{
	struct reject_at at = { .reason = why };
	uint32_t max = channel_conf(ch)->rejects;

	if (max)
		reject_note(
		    rejects_memory_of(ch, &ch->rejected.by_limit), max, n, rid, &at);
}

void
channel_forget_kept_out(struct channel *ch, const struct nlri *n, uint32_t rid)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejected.by_limit);

	if (m && n)
		reject_forget(m, n, rid);
	else if (m)
		reject_clear(m);
}

void
channel_forget_refused(struct channel *ch, const uint8_t *nlri, uint32_t len)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejected.memory);
	uint32_t rid;
	struct nlri n;

	if (likely(!m) || !reject_cnt(m))
		return;
	for (const uint8_t *end = nlri + len; nlri < end;) {
		nlri += channel_rejects_take_one(ch, nlri, &n, &rid);
		reject_forget(m, &n, rid);
	}
}

void
channel_clear_refused(struct channel *ch)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejected.memory);

	if (m)
		reject_clear(m);
}

const struct reject_memory *
channel_rejects(const struct channel *ch, bool limits)
{
	return load_acquire_ptr(
	    limits ? &ch->rejected.by_limit : &ch->rejected.memory); /* pairs: REJMEM */
}

bool
channel_limit_kept(const struct channel *ch, uint32_t id)
{
	return kept_set_has(&ch->exp.kept, id);
}
