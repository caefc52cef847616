/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work space of a channel: a filter thread and an arena. Both are borrowed at the first
 * use and returned when a callback ends: thousands of channels share the few in use.
 *
 * Loop: the session's. Tested by test/prop/prop_spine.c and
 * test/unit/test_channel_send.c. */
#include "nest/channel/channel_ask_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/ring.h"
#include "lib/mt/spare.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/read.h"
#include "sysdep/log/log.h"

/* ---- output of filters ---- */

static void
channel_work_filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

static void
work_filter_error(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_ERR, "%s", line);
}

const struct filter_env channel_filter_env = { .log = channel_work_filter_log,
	.error = work_filter_error };
const struct filter_env channel_quiet_env = { .log = NULL };

struct filter_thread *
channel_filter_thread(struct channel *ch)
{
	if (!ch->work.ft)
		ch->work.ft = spare_take(&ch->proto->tern->spare.filter_threads);
	if (!ch->work.ft)
		ch->work.ft = filter_thread_new(&ch->proto->tern->ifaces);
	return ch->work.ft;
}

static OWNED void *
work_chunk_take(void *arg, enum mem_tag tag, size_t size)
{
	return spare_borrow(arg, tag, size);
}

static void
work_chunk_give(void *arg, enum mem_tag tag, TAKE void *chunk)
{
	spare_give_back(arg, tag, chunk);
}

void
channel_work_init(struct channel *ch)
{
	ch->work.lender = (struct arena_lender){ .take = work_chunk_take,
		.give = work_chunk_give,
		.arg = &ch->proto->tern->spare.arena_chunks };
	arena_init(&ch->work.arena, MEM_PROTO, 8192);
	arena_borrow(&ch->work.arena, &ch->work.lender);
}

void
channel_work_put(struct channel *ch)
{
	if (ch->offer.ch)
		channel_work_put(ch->offer.ch);
	if (ch->work.ft &&
	    !spare_put(&ch->proto->tern->spare.filter_threads, ch->work.ft))
		filter_thread_free(ch->work.ft);
	ch->work.ft = NULL;
	arena_fini(&ch->work.arena); /* the chunk is lent */
	reader_early_idle(ch->rd);
}

void
channel_listen(struct channel *ch)
{
	if (ch->sink)
		reader_listen(&ch->best.r);
	if (ch->all)
		reader_listen(&ch->all->r);
	if (ch->over)
		reader_listen(&ch->over->rd.r);
	if (ch->offer.ch)
		channel_listen(ch->offer.ch);
}

bool
channel_idle(struct channel *ch)
{
	bool gone = ring_trim(&ch->ts.ring);

	reader_idle(ch->rd);
	if (ch->over)
		reader_idle(&ch->over->rd.r);
	if (ch->offer.ch)
		channel_idle(ch->offer.ch);
	return gone;
}

void
channel_spares_free(struct tern *t)
{
	struct filter_thread *ft;

	while ((ft = spare_take(&t->spare.filter_threads)))
		filter_thread_free(ft);
	spare_empty(&t->spare.arena_chunks, MEM_PROTO);
	spare_empty(&t->spare.tx_lists, MEM_PROTO);
}
