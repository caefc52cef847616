/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The monitored sessions of an instance, and their events. Loop: the instance's. Tested
 * by test/net/test_bmp.py. */
#include "lib/base/htab.h"
#include "lib/mt/atomic.h"
#include "lib/base/hash.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "proto/bmp/bmp_in_priv.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"
#include <bsd/string.h>
#include <string.h>

static uint64_t
bmp_who_hash_of(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

struct bmp_who *
bmp_find(const struct bmp_proto *b, const char *name)
{
	struct htab_node *n;

	htab_each_same (n, &b->whos, bmp_who_hash_of(name)) {
		struct bmp_who *w = container_of(n, struct bmp_who, node);

		if (!strcmp(w->name, name))
			return w;
	}
	return NULL;
}

static struct bmp_who *
who_get(struct bmp_proto *b, const char *name)
{
	struct bmp_who *w = bmp_find(b, name);

	if (w)
		return w;
	w = mem_zalloc(MEM_PROTO, sizeof(*w));
	strlcpy(w->name, name, sizeof(w->name));
	htab_add(&b->whos, &w->node, bmp_who_hash_of(name));
	list_add_tail(&b->all, &w->link);
	store_relaxed32(&b->known, load_relaxed32(&b->known) + 1);
	return w;
}

void
bmp_who_free(struct bmp_proto *b, struct bmp_who *w)
{
	htab_del(&b->whos, &w->node);
	list_del(&w->link);
	store_relaxed32(&b->known, load_relaxed32(&b->known) - 1);
	if (w->life)
		monitor_life_put(w->life);
	monitor_octets_put(w->last);
	mem_free(MEM_PROTO, w);
}

/* who_change - note that the session of @w came up or went down. */
static void
who_change(struct bmp_who *w, const struct monitor_event *e)
{
	if (w->life)
		monitor_life_put(w->life);
	w->life = e->kind == MON_UP ? monitor_life_ref(e->life) : NULL;
	if (e->kind != MON_DOWN)
		return;
	w->why = e->reason;
	monitor_octets_put(w->last);
	w->last = e->octets ? monitor_octets_ref(e->octets) : NULL;
}

static void
who_take(struct bmp_proto *b, const struct monitor_event *e)
{
	struct bmp_who *w = who_get(b, e->life->name);
	bool routes = e->kind == MON_UPDATE || e->kind == MON_MIRROR ||
		      e->kind == MON_OUT || e->kind == MON_OFFER;

	if (e->kind == MON_UP || e->kind == MON_DOWN)
		who_change(w, e);
	for (unsigned i = 0; i < b->st_cnt; i++)
		if (routes)
			bmp_station_take(&b->st[i], w, e);
		else
			bmp_station_who(&b->st[i], w, e);
}

void
bmp_drain(struct bmp_proto *b)
{
	struct monitor_event *e = b->mon ? monitor_take(b->mon) : NULL, *next;

	for (; e; e = next) {
		next = monitor_next(e);
		who_take(b, e);
		monitor_event_free(e);
	}
}
