/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of interfaces that the program outside asks for (bridge.c), in words. */
#include "test/sim/link.h"
#include "test/sim/sim_netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 6

struct words {
	const char *w[WORD_MAX];
	unsigned cnt;
};

static int
do_add(unsigned host, const struct words *s)
{
	return link_make(host, s->w[1], s->cnt > 2 ? s->w[2] : NULL);
}

static int
do_delete(unsigned host, const struct words *s)
{
	return link_delete(host, s->w[1]);
}

static int
bridge_link_do_up(unsigned host, const struct words *s)
{
	return link_set_up(host, s->w[1], true);
}

static int
bridge_link_do_down(unsigned host, const struct words *s)
{
	return link_set_up(host, s->w[1], false);
}

static int
do_rename(unsigned host, const struct words *s)
{
	return link_rename(host, s->w[1], s->w[2]);
}

static int
do_move(unsigned host, const struct words *s)
{
	return link_move(host, s->w[1], (unsigned)atoi(s->w[2]));
}

static int
do_mtu(unsigned host, const struct words *s)
{
	return link_set_mtu(host, s->w[1], (unsigned)atoi(s->w[2]));
}

static int
do_generates(unsigned host, const struct words *s)
{
	return link_set_generates(host, s->w[1], atoi(s->w[2]));
}

static int
do_address(unsigned host, const struct words *s)
{
	return link_address_add(
	    host, s->w[1], s->w[2], s->cnt > 4 ? s->w[4] : NULL, atoi(s->w[3]));
}

static int
bridge_link_do_drop(unsigned host, const struct words *s)
{
	return link_address_delete(host, s->w[1], s->w[2], atoi(s->w[3]));
}

static int
do_neighbor(unsigned host, const struct words *s)
{
	return neigh_set(host, s->w[1], s->w[2], s->cnt > 3 ? s->w[3] : NULL);
}

static int
do_forget(unsigned host, const struct words *s)
{
	return neigh_delete(host, s->w[1], s->w[2]);
}

static int
do_flush(unsigned host, const struct words *s)
{
	(void)host; /* the routes of all hosts are one list */
	kroutes_flush((uint32_t)atoi(s->w[1]));
	return 0;
}

static const struct {
	const char *word;
	unsigned least; /* words */
	int (*fn)(unsigned host, const struct words *s);
} changes[] = {
	{ "add", 2, do_add },
	{ "delete", 2, do_delete },
	{ "up", 2, bridge_link_do_up },
	{ "down", 2, bridge_link_do_down },
	{ "rename", 3, do_rename },
	{ "move", 3, do_move },
	{ "mtu", 3, do_mtu },
	{ "generates", 3, do_generates },
	{ "address", 4, do_address },
	{ "drop", 4, bridge_link_do_drop },
	{ "neighbor", 3, do_neighbor },
	{ "forget", 3, do_forget },
	{ "flush", 2, do_flush },
};

int
bridge_link(unsigned host, const char *words, size_t len)
{
	struct words s = { 0 };

	for (const char *at = words; at < words + len && s.cnt < WORD_MAX;
	     at += strlen(at) + 1)
		s.w[s.cnt++] = at;
	for (size_t i = 0; s.cnt && i < sizeof(changes) / sizeof(*changes); i++)
		if (!strcmp(changes[i].word, s.w[0]) && s.cnt >= changes[i].least)
			return changes[i].fn(host, &s);
	errno = ENOSYS;
	return -1;
}
