/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stand-ins for channels, for tests of sessions: they count, and refuse when told. */
#ifndef TERN_TEST_LIB_BGP_PAIR_CHANNEL_H
#define TERN_TEST_LIB_BGP_PAIR_CHANNEL_H

#include "proto/bgp/bgp.h"
#include "proto/bgp/session/bgp_instance.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"
#include "test/lib/unit.h"

struct channel {
	struct proto *p;
	const struct conf_channel *cf;
	const struct channel_ops *ops;
	struct bgp_sink *sink;
	struct channel_stats stats;
	bool up;
	struct counter64 ups, downs, imported, withdrawn, refreshes, invalid, ends,
	    blocked; /* channel_import_ready says no */
	struct counter64 to_send; /* messages that channel_export_run still puts */
	bool eor_sent;
};

struct channel *
channel_new(struct proto *p, const struct conf_channel *cf, const struct channel_ops *ops,
    struct sink *sink)
{
	struct channel *ch = mem_zalloc(MEM_PROTO, sizeof(*ch));

	ch->p = p;
	ch->cf = cf;
	ch->ops = ops;
	ch->sink = container_of(sink, struct bgp_sink, sink);
	sink->ch = ch;
	store_release_ptr(&p->channels, ch); /* pairs: PCHAN */
	return ch;
}

void
channel_attach(struct channel *ch)
{
	(void)ch;
}

void
channel_mark(struct channel *ch, struct table_mark *m)
{
	(void)ch;
	table_marked(m);
}

void
channel_secondary(struct channel *ch)
{
	(void)ch;
}

void
channel_keep_pre(struct channel *ch, bool on)
{
	(void)ch, (void)on;
}

void
channel_count_filtered(struct channel *ch, bool on)
{
	(void)ch, (void)on;
}

void
channel_set_ids(struct channel *ch, unsigned id_len)
{
	(void)ch;
	assert_int_equal(id_len, 0);
}

void
channel_free(struct channel *ch)
{
	mem_free(MEM_PROTO, ch);
}

void
channel_detach(struct channel *ch)
{
	ch->ops->detached(ch);
}

void
channel_up(struct channel *ch, const struct route_source *src)
{
	(void)src;
	assert_false(ch->up);
	ch->up = true;
	ch->eor_sent = false;
	counter64_add(&ch->ups, 1);
	worker_again(&ch->p->worker);
}

void
channel_down(struct channel *ch)
{
	assert_true(ch->up);
	ch->sink->sink.ops->down(&ch->sink->sink);
	ch->up = false;
	counter64_add(&ch->downs, 1);
}

#include "test/lib/bgp_pair_hops.h"
#include "test/lib/bgp_pair_stale.h"
#include "test/lib/wait.h"
#include "test/lib/life_fake.h"

bool
channel_is_up(const struct channel *ch)
{
	return ch->up;
}

bool
channel_import_ready(struct channel *ch)
{
	return !counter64_get(&ch->blocked);
}

void
channel_import(struct channel *ch, const uint8_t *data, uint32_t len,
    const struct attr_local *local, const uint8_t *nlri, uint32_t nlri_len)
{
	(void)data, (void)len, (void)local, (void)nlri;
	counter64_add(&ch->imported, nlri_len / 4);
}

void
channel_withdraw(struct channel *ch, const uint8_t *nlri, uint32_t nlri_len)
{
	counter64_add(&ch->withdrawn, nlri ? nlri_len / 4 : 0);
}

void
channel_refuse(struct channel *ch, enum reason why, const char *what, const uint8_t *nlri,
    uint32_t nlri_len)
{
	(void)why, (void)what, (void)nlri;
	counter64_add(&ch->invalid, nlri_len / 4);
}

void
channel_import_end(struct channel *ch)
{
	counter64_add(&ch->ends, 1);
}

bool
channel_refresh_out(struct channel *ch)
{
	counter64_add(&ch->refreshes, 1);
	return true;
}

bool
channel_reload_in(struct channel *ch)
{
	return ch->ops->refresh(ch);
}

bool
channel_refresh_in(struct channel *ch)
{
	return ch->ops->refresh(ch);
}

bool
channel_keeps(const struct channel *ch)
{
	(void)ch;
	return false;
}

void
channel_sink_changed(struct channel *ch)
{
	(void)ch;
}

struct table *
channel_table(const struct channel *ch)
{
	(void)ch;
	return NULL;
}

uint32_t
channel_change(const struct channel *ch, const struct proto_cmd *cmd)
{
	(void)ch, (void)cmd;
	return 0;
}

bool
channel_reconf(struct channel *ch, uint32_t change, bool soft)
{
	(void)ch, (void)change, (void)soft;
	return true;
}

void
channel_work_put(struct channel *ch)
{
	(void)ch;
}

bool
channel_idle(struct channel *ch)
{
	(void)ch;
	return true;
}

struct proto *
channel_proto(const struct channel *ch)
{
	return ch->p;
}

enum family
channel_family(const struct channel *ch)
{
	return ch->cf->family;
}

bool
channel_keeps_import(const struct channel *ch)
{
	(void)ch;
	return false;
}

bool
channel_seems_up(const struct channel *ch)
{
	return channel_is_up(ch);
}

const struct conf_channel *
channel_conf(const struct channel *ch)
{
	return ch->cf;
}

const char *
channel_name(const struct channel *ch)
{
	return ch->cf->name;
}

struct nlri
channel_nlri(const struct channel *ch, uint32_t id)
{
	(void)ch, (void)id;
	return (struct nlri){ 0 };
}

struct channel_stats *
channel_stats(struct channel *ch)
{
	return &ch->stats;
}

/* An UPDATE with a /24: ORIGIN, AS_PATH, NEXT_HOP. */
static const uint8_t update[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
	255, 255, 255, 255, 255, 0, 23 + 20 + 4, 2, 0, 0, 0, 20, 0x40, 1, 1, 0, 0x40, 2,
	6, 2, 1, 0, 0, 0xfd, 0xe9, 0x40, 3, 4, 10, 9, 8, 7, 24, 10, 1, 2 };

/* send_some - as channel_export_run. Returns: is there more and room for it? */
static bool
send_some(struct channel *ch)
{
	static uint8_t msg[64];
	struct msg_piece m = { .data = msg, .len = sizeof(update), .msg_cnt = 1 };
	uint64_t left = counter64_get(&ch->to_send);

	if (!ch->up)
		return false;
	if (left) {
		memcpy(msg, update, sizeof(update));
		while (left && ch->sink->out->room(ch->sink) >= sizeof(update)) {
			ch->sink->out->put(ch->sink, &m);
			left--;
		}
		ch->sink->out->flush(ch->sink);
		counter64_set(&ch->to_send, left);
	}
	if (!left && !ch->eor_sent) {
		ch->eor_sent = true;
		ch->sink->out->end_of_rib(ch->sink);
	}
	return left && ch->sink->out->room(ch->sink);
}

#endif
