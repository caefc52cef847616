/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shadow's worker: feeds, members, and reports.
 *
 * I1  A difference counts when no side announced the net for SETTLE_NS: while routes
 *     change, one side is ahead. The lag of a feed, from the times of its records,
 *     extends the time while the feed is active.
 *
 * style: a report walks all members and their differences at once; no work but questions
 * waits for the worker.
 *
 * Loop: its own, but for shadow_new, shadow_ask_free, shadow_free. Tested by
 * test/net/test_shadow.py. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/file.h"
#include "sysdep/sock/sock_opt.h"

#include <bsd/string.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_NS (5 * NS_PER_S)
#define LOOK_NS   NS_PER_S

/* ---- the worker ---- */

/* shadow_lag - the greatest lag of the active feeds. */
static uint64_t
shadow_lag(const struct shadow *sh)
{
	const struct list *n;
	uint64_t most = 0;

	list_for_each (n, &sh->feeds) {
		const struct shadow_feed *f = container_of(
		    n, const struct shadow_feed, link);

		if (shadow_now(sh) - f->record_ns < SETTLE_NS)
			most = max_u64(most, f->lag_ns);
	}
	return most;
}

static void
shadow_look(struct timer *t)
{
	struct shadow *sh = container_of(t, struct shadow, look);
	uint64_t now = shadow_now(sh);
	struct list *n;

	timer_set(t, now + LOOK_NS);
	list_for_each (n, &sh->members)
		shadow_member_look(container_of(n, struct shadow_member, link), now);
}

static void
shadow_start(struct worker *w)
{
	struct shadow *sh = container_of(w, struct shadow, worker);
	struct list *n;

	timer_init(&sh->look, w, shadow_look);
	timer_set(&sh->look, 0);
	list_for_each (n, &sh->feeds) {
		struct shadow_feed *f = container_of(n, struct shadow_feed, link);

		if (f->kind == SHADOW_BMP)
			shadow_bmp_start(f);
		else
			shadow_mrt_start(f);
	}
}

/* shadow_run - members have room again. */
static void
shadow_run(struct worker *w)
{
	struct shadow *sh = container_of(w, struct shadow, worker);
	struct list *n;

	list_for_each (n, &sh->feeds) {
		struct shadow_feed *f = container_of(n, struct shadow_feed, link);

		if (f->kind == SHADOW_BMP)
			shadow_bmp_go_on(f);
		else
			shadow_mrt_go_on(f);
	}
}

static void
shadow_gone(struct worker *w)
{
	tern_last_worker_gone(container_of(w, struct shadow, worker)->tern);
}

static const struct worker_ops shadow_ops = {
	.start = shadow_start, .run = shadow_run, .gone = shadow_gone
};

static void
shadow_end(struct worker *w, TAKE struct msg *m)
{
	struct shadow *sh = container_of(w, struct shadow, worker);
	struct list *n;

	mem_free(MEM_OTHER, m);
	timer_cancel(&sh->look);
	list_for_each (n, &sh->feeds) {
		struct shadow_feed *f = container_of(n, struct shadow_feed, link);

		if (f->kind == SHADOW_BMP)
			shadow_bmp_stop(f);
		else
			shadow_mrt_stop(f);
	}
	list_for_each (n, &sh->members)
		shadow_member_close(container_of(n, struct shadow_member, link), NULL);
	shadow_rib_free(sh);
	worker_stop(w);
}

static void
shadow_start_part(struct tern_part *p)
{
	struct shadow *sh = container_of(p, struct shadow, part);

	tern_last_worker_start(sh->tern);
	worker_start(&sh->worker, &shadow_ops, WORKER_CONTROL, "shadow");
}

static void
shadow_stop_part(struct tern_part *p)
{
	struct shadow *sh = container_of(p, struct shadow, part);
	struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

	m->handle = shadow_end;
	worker_post(&sh->worker, m);
}

/* ---- reports ---- */

/* shadow_name_of - name of the instance for @m. */
static void
shadow_name_of(const struct shadow_member *m, char to[SHADOW_TEXT])
{
	const struct conf_member k = { .addr = m->remote };
	const struct tern_view *v = tern_view_get(m->of->tern);

	for (uint32_t i = 0; v && i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];
		const struct conf_member_ops *ops = p->cls->conf->members;

		if (ops && ops->wants(proto_conf_get(p), NULL, &k)) {
			strlcpy(to, p->name, SHADOW_TEXT);
			return;
		}
	}
}

static void
shadow_add_row(
    struct shadow_ask *a, const struct shadow_member *m, const struct shadow_net *n)
{
	const struct shadow_cell *c = &m->rib.cell[n->id];
	struct wire_set *live = c->side[SHADOW_LIVE], *ours = c->side[SHADOW_OURS];

	if (a->row_cnt == SHADOW_ROWS_MAX) {
		a->more++;
		return;
	}
	a->row = vec_room(
	    MEM_OTHER, a->row, &a->row_cap, a->row_cnt + 1, sizeof(*a->row));
	a->row[a->row_cnt++] = (struct shadow_row){ .peer = a->peer_cnt - 1,
		.net = n->net,
		.live = live ? wire_set_ref(live) : NULL,
		.ours = ours ? wire_set_ref(ours) : NULL,
		.input = live && !shadow_rib_explained(m->of, n, live) };
}

static void
shadow_add_rows(
    struct shadow_ask *a, const struct shadow_member *m, struct shadow_peer *p)
{
	uint64_t now = shadow_now(m->of), wait = SETTLE_NS + shadow_lag(m->of);
	struct htab_node *at;

	for (at = htab_walk(&m->rib.diffs, NULL); at; at = htab_walk(&m->rib.diffs, at)) {
		const struct shadow_diff *d = container_of(at, struct shadow_diff, node);
		bool settled = now - d->since_ns >= wait; /* I1 */

		p->diffs += settled;
		p->waiting += !settled;
		if (settled || a->all)
			shadow_add_row(a, m, d->net);
	}
}

static void
shadow_add_member(struct shadow_ask *a, const struct shadow_member *m)
{
	struct shadow_peer p = { .addr = m->remote,
		.as = m->as,
		.fed = m->live.fed_up,
		.compared = m->live.seen && m->session.up && !m->paths,
		.paths = m->paths,
		.up = m->session.up,
		.announced = m->rib.cnt[SHADOW_FED],
		.live_cnt = m->rib.cnt[SHADOW_LIVE],
		.ours_cnt = m->rib.cnt[SHADOW_OURS] };

	shadow_name_of(m, p.name);
	memcpy(p.why, m->session.why, sizeof(p.why));
	if (a->name && strcmp(a->name, p.name) != 0)
		return;
	a->peer = vec_room(
	    MEM_OTHER, a->peer, &a->peer_cap, a->peer_cnt + 1, sizeof(*a->peer));
	a->peer[a->peer_cnt++] = p;
	if (p.compared)
		shadow_add_rows(a, m, &a->peer[a->peer_cnt - 1]);
}

static int
shadow_cmp_rows(const void *x, const void *y)
{
	const struct shadow_row *a = x, *b = y;

	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	return prefix_cmp(&a->net, &b->net);
}

static void
shadow_answer(struct worker *w, TAKE struct msg *m)
{
	struct shadow *sh = container_of(w, struct shadow, worker);
	struct shadow_ask *a = container_of(m, struct shadow_ask, msg);
	struct list *n;

	list_for_each (n, &sh->members)
		shadow_add_member(a, container_of(n, struct shadow_member, link));
	list_for_each (n, &sh->feeds) {
		const struct shadow_feed *f = container_of(n, struct shadow_feed, link);

		if (f->kind != SHADOW_SNAPSHOT)
			continue;
		a->snapshot = (struct shadow_snapshot){
			.has = true, .ended = f->ended, .records = f->mrt.records
		};
		memcpy(a->snapshot.why, f->why, sizeof(f->why));
	}
	if (a->row_cnt)
		qsort(a->row, a->row_cnt, sizeof(*a->row), shadow_cmp_rows);
	a->msg.handle = a->done;
	worker_post(a->asker, &a->msg);
}

void
shadow_ask_post(struct tern *t, struct shadow_ask *a)
{
	struct shadow *sh = container_of(t->part, struct shadow, part);

	a->msg.handle = shadow_answer;
	worker_post(&sh->worker, &a->msg);
}

void
shadow_ask_free(struct tern *t, TAKE struct shadow_ask *a)
{
	for (uint32_t i = 0; i < a->row_cnt; i++) {
		if (a->row[i].live)
			wire_set_unref(t->store, a->row[i].live);
		if (a->row[i].ours)
			wire_set_unref(t->store, a->row[i].ours);
	}
	mem_free(MEM_OTHER, a->row);
	mem_free(MEM_OTHER, a->peer);
	mem_free(MEM_OTHER, a->name);
	mem_free(MEM_OTHER, a);
}

/* ---- making and freeing ---- */

/* shadow_read_place - "[ADDRESS:]PORT"; an IPv6 address in []. */
static bool
shadow_read_place(const char *s, struct sock_end *out)
{
	const char *colon = strrchr(s, ':');
	char addr[IP_STR_MAX + 2], *end;
	unsigned long port = strtoul(colon ? colon + 1 : s, &end, 10);
	size_t len = colon ? (size_t)(colon - s) : 0;

	if (*end || !port || port > UINT16_MAX || len >= sizeof(addr))
		return false;
	*out = (struct sock_end){ .addr = ip4(0), .port = (uint16_t)port };
	if (!colon)
		return true;
	memcpy(addr, s, len);
	addr[len] = '\0';
	if (len > 2 && addr[0] == '[' && addr[len - 1] == ']') {
		addr[len - 1] = '\0';
		return !ip_parse(&out->addr, addr + 1);
	}
	return !ip_parse(&out->addr, addr);
}

static bool
shadow_add_feed(struct shadow *sh, const char *text)
{
	struct shadow_feed *f = mem_zalloc(MEM_OTHER, sizeof(*f));

	f->of = sh;
	list_init(&f->routers);
	list_add_tail(&sh->feeds, &f->link);
	if (!strncmp(text, "bmp:", 4)) {
		f->kind = SHADOW_BMP;
		return shadow_read_place(text + 4, &f->listen_at);
	}
	if (!strncmp(text, "mrt-out:", 8))
		f->kind = SHADOW_MRT_OUT;
	else if (!strncmp(text, "snapshot:", 9))
		f->kind = SHADOW_SNAPSHOT;
	else if (strncmp(text, "mrt:", 4) != 0)
		return false;
	f->file = file_absolute(strchr(text, ':') + 1);
	return f->file != NULL;
}

OWNED struct tern_part *
shadow_new(struct tern *t, char *const *feed, unsigned cnt, shadow_inject_fn inject,
    const struct cmd *commands, const char **bad)
{
	struct shadow *sh = mem_zalloc(MEM_OTHER, sizeof(*sh));

	sh->part = (struct tern_part){ shadow_start_part, shadow_stop_part, commands };
	sh->tern = t;
	sh->inject = inject;
	list_init(&sh->feeds);
	list_init(&sh->members);
	htab_init(&sh->by_addr, MEM_OTHER);
	htab_init(&sh->nets, MEM_OTHER);
	for (unsigned i = 0; i < cnt; i++) {
		if (shadow_add_feed(sh, feed[i]))
			continue;
		*bad = feed[i];
		shadow_free(&sh->part);
		return NULL;
	}
	return &sh->part;
}

void
shadow_free(TAKE struct tern_part *p)
{
	struct shadow *sh = container_of(p, struct shadow, part);
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &sh->feeds) {
		struct shadow_feed *f = container_of(n, struct shadow_feed, link);

		mem_free(MEM_OTHER, f->file);
		mem_free(MEM_OTHER, f);
	}
	list_for_each_safe (n, tmp, &sh->members) {
		struct shadow_member *m = container_of(n, struct shadow_member, link);

		mem_free(MEM_OTHER, m->live.open);
		mem_free(MEM_OTHER, m);
	}
	htab_fini(&sh->by_addr);
	mem_free(MEM_OTHER, sh);
}
