/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD requests of an instance (static_bfd.h).
 *
 * A next hop is usable from the time when its BFD session comes up until the session is
 * lost. If an operator takes the session down, on either side, the next hop stays as it
 * is: an administrative state says nothing about the path (RFC 5882, 3.2).
 *
 * Loop: the instance's. Tested by test/net/test_bfd_asked.py. */
#include "proto/static/static_bfd.h"

#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_place.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "sysdep/iface/iface.h"

/* A request for one neighbour. Freed in the message that confirms the release. */
struct hop_ask {
	struct list link; /* of static_bfd.asks; empty: the request is being released */
	struct static_bfd *b;
	struct bfd_ask *ask;
	struct bfd_place place;
	bool up, marked;
};

static void
static_bfd_news(struct bfd_ask *a, enum bfd_news what)
{
	struct hop_ask *h = a->arg;
	bool up = what == BFD_NEWS_ADMIN ? h->up : what == BFD_NEWS_UP;

	if (list_empty(&h->link) || up == h->up)
		return;
	h->up = up;
	h->b->changed(h->b->p);
}

static void
static_bfd_gone(struct bfd_ask *a)
{
	struct hop_ask *h = a->arg;
	struct static_bfd *b = h->b;

	mem_free(MEM_PROTO, h);
	if (!--b->cnt)
		b->gone(b->p);
}

static const struct bfd_ask_ops static_bfd_ops = { .news = static_bfd_news,
	.gone = static_bfd_gone };

void
static_bfd_init(struct static_bfd *b, struct proto *p, void (*changed)(struct proto *p),
    void (*on_gone)(struct proto *p))
{
	*b = (struct static_bfd){ .p = p, .changed = changed, .gone = on_gone };
	list_init(&b->asks);
}

static struct hop_ask *
static_bfd_find(const struct static_bfd *b, const struct bfd_place *place)
{
	struct list *n;

	list_for_each (n, &b->asks) {
		struct hop_ask *h = container_of(n, struct hop_ask, link);

		if (ip_equal(h->place.peer, place->peer) &&
		    h->place.ifindex == place->ifindex)
			return h;
	}
	return NULL;
}

bool
static_bfd_up(struct static_bfd *b, const struct hop *hop)
{
	struct bfd_place place = { .peer = hop->gw, .local = IP_NONE };
	struct hop_ask *h;

	if (ip_is_none(hop->gw) ||
	    !bfd_place_find(
		&place, iface_list_get(&b->p->tern->ifaces), hop->ifname, hop->onlink))
		return false;
	h = static_bfd_find(b, &place);
	if (!h) {
		h = mem_zalloc(MEM_PROTO, sizeof(*h));
		h->b = b;
		h->place = place;
		list_add_tail(&b->asks, &h->link);
		b->cnt++;
		h->ask = bfd_ask_new(b->p, &static_bfd_ops, h, &place, NULL);
	}
	h->marked = true;
	return h->up;
}

static void
static_bfd_release(struct hop_ask *h)
{
	list_del(&h->link);
	list_init(&h->link);
	bfd_ask_delete(h->ask);
}

void
static_bfd_begin(struct static_bfd *b)
{
	struct list *n;

	list_for_each (n, &b->asks)
		container_of(n, struct hop_ask, link)->marked = false;
	b->marking = true;
}

void
static_bfd_end(struct static_bfd *b)
{
	struct list *n, *tmp;

	if (!b->marking)
		return;
	b->marking = false;
	list_for_each_safe (n, tmp, &b->asks) {
		struct hop_ask *h = container_of(n, struct hop_ask, link);

		if (!h->marked)
			static_bfd_release(h);
	}
}

void
static_bfd_clear(struct static_bfd *b)
{
	struct list *n, *tmp;

	b->marking = false;
	list_for_each_safe (n, tmp, &b->asks)
		static_bfd_release(container_of(n, struct hop_ask, link));
}

void
static_bfd_look(struct static_bfd *b)
{
	struct list *n;

	list_for_each (n, &b->asks)
		bfd_ask_look(container_of(n, struct hop_ask, link)->ask);
}
