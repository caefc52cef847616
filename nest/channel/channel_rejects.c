/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a channel's import filter has refused, where that isn't kept in the table:
 * prefixes, and the line at which the filter ended (nest/channel/reject_memory.h).
 *
 * Routes that are accepted cost nothing here. So one that was refused before is still
 * remembered, and who asks looks into the table first.
 *
 * Loop: the session's, but for channel_rejects. */
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/reject_memory.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"

static struct reject_memory *
memory_of(struct channel *ch)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejects);

	if (!m) {
		m = reject_memory_new(ch->kind);
		store_release_ptr(&ch->rejects, m); /* pairs: REJMEM */
	}
	return m;
}

/* take_one - the net at @nlri, and its path identifier. Returns: its octets. */
static uint32_t
take_one(const struct channel *ch, const uint8_t *nlri, struct nlri *n, uint32_t *rid)
{
	*rid = ch->imp.id_len ? get_be32(nlri) : 0;
	return ch->imp.id_len + nlri_get(ch->kind, n, nlri + ch->imp.id_len);
}

void
channel_note_refused(struct channel *ch, const uint8_t *nlri, uint32_t len)
{
	const struct filter *f = ch->cf->import;
	struct reject_at at = { .filter = filter_name(f) };
	uint32_t rid;
	struct nlri n;

	if (channel_keeps_pre(ch) || !ch->cf->rejects ||
	    !filter_where(channel_filter_thread(ch), f, &at.file, &at.line))
		return;
	for (const uint8_t *end = nlri + len; nlri < end;) {
		nlri += take_one(ch, nlri, &n, &rid);
		reject_note(memory_of(ch), ch->cf->rejects, &n, rid, &at);
	}
}

void
channel_forget_refused(struct channel *ch, const uint8_t *nlri, uint32_t len)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejects);
	uint32_t rid;
	struct nlri n;

	if (likely(!m) || !reject_cnt(m))
		return;
	for (const uint8_t *end = nlri + len; nlri < end;) {
		nlri += take_one(ch, nlri, &n, &rid);
		reject_forget(m, &n, rid);
	}
}

void
channel_clear_refused(struct channel *ch)
{
	struct reject_memory *m = load_relaxed_ptr(&ch->rejects);

	if (m)
		reject_clear(m);
}

const struct reject_memory *
channel_rejects(const struct channel *ch)
{
	return load_acquire_ptr(&ch->rejects); /* pairs: REJMEM */
}
