/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of questions to a daemon. Tested by test/unit/test_http_share.c and
 * test/net/test_http_queue.py. Loop: the only thread of ternhttp.
 *
 * I1  The list of waiting questions is in the order of turns, so that the first question
 *     that may begin is the next one. */
#include "client/http/job/share.h"

#include "lib/base/list.h"
#include "lib/net/ip.h"

#include <stddef.h>

static struct share_item *
share_of_node(const struct list *n)
{
	return (struct share_item *)((char *)n - offsetof(struct share_item, node));
}

void
share_init(struct share *s)
{
	list_init(&s->waiting);
	list_init(&s->running);
}

struct ip_addr
share_client(struct ip_addr a)
{
	if (!ip_is_v4(a))
		a.lo = 0;
	return a;
}

/* share_same - are both questions of one client? */
static bool
share_same(const struct share_item *a, const struct share_item *b)
{
	return ip_equal(a->client, b->client);
}

bool
share_permits(const struct share *s, const struct share_item *i)
{
	unsigned all = 0, all_long = 0, mine = 0, mine_long = 0;
	const struct list *n;

	if (ip_is_none(i->client))
		return true;
	list_for_each (n, &s->running) {
		const struct share_item *b = share_of_node(n);

		if (ip_is_none(b->client))
			continue;
		all++;
		all_long += b->longer;
		mine += share_same(i, b);
		mine_long += share_same(i, b) && b->longer;
	}
	return all < SHARE_CLIENTS && mine < SHARE_ONE &&
	       (!i->longer || (all_long < SHARE_LONG && mine_long < SHARE_ONE_LONG));
}

struct share_item *
share_next(const struct share *s)
{
	const struct list *n;

	list_for_each (n, &s->waiting)
		if (share_permits(s, share_of_node(n)))
			return share_of_node(n);
	return NULL;
}

struct share_item *
share_first(const struct share *s)
{
	return share_of_node(s->waiting.next);
}

/* share_count - how many questions of the client of @i wait; @last is the youngest. */
static unsigned
share_count(const struct share *s, const struct share_item *i, struct share_item **last)
{
	unsigned cnt = 0;
	const struct list *n;

	list_for_each (n, &s->waiting) {
		if (!share_same(i, share_of_node(n)))
			continue;
		cnt++;
		*last = share_of_node(n);
	}
	return cnt;
}

struct share_item *
share_wait(struct share *s, struct share_item *i)
{
	struct share_item *most = i, *last = NULL;
	unsigned all = 0, most_cnt, cnt;
	const struct list *n;

	list_add_tail(&s->waiting, &i->node);
	most_cnt = share_count(s, i, &last);
	list_for_each (n, &s->waiting) {
		const struct share_item *b = share_of_node(n);

		if (ip_is_none(b->client))
			continue;
		all++;
		cnt = share_count(s, b, &last);
		if (cnt > most_cnt) {
			most_cnt = cnt;
			most = last;
		}
	}
	if (ip_is_none(i->client) || all <= SHARE_QUEUE)
		return NULL;
	list_del(&most->node);
	return most;
}

void
share_begin(struct share *s, struct share_item *i)
{
	struct list others, mine, *n, *t;

	list_init(&others);
	list_init(&mine);
	list_del(&i->node);
	list_add_tail(&s->running, &i->node);
	list_for_each_safe (n, t, &s->waiting) {
		list_del(n);
		list_add_tail(share_same(i, share_of_node(n)) ? &mine : &others, n);
	}
	list_move_head(&s->waiting, &mine);
	list_move_head(&s->waiting, &others);
}

void
share_end(struct share_item *i)
{
	list_del(&i->node);
}
