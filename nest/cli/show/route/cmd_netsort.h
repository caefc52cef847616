/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts nets of one kind, a bounded amount of work at a time. Memory: 10 octets for an
 * IPv4 prefix, 34 for an IPv6 prefix, 10 more for a VRP. Loop: the
 * session's. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_NETSORT_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_NETSORT_H

#include "nest/rib/nlri.h"

#define NET_KEY_MAX 22

/* Owner: the command's job. Life: from net_sort_init until net_sort_fini. */
struct net_sort {
	/* private */
	uint8_t *key, *spare; /* cnt keys of key_len octets; spare: during a sort */
	uint32_t cnt, cap;
	uint8_t key_len;
	uint8_t kind; /* enum nlri_kind */
	int digit; /* of the present pass; -1: sorted */
	bool in_pass;
	uint32_t pos; /* in the present pass */
	uint32_t place[256]; /* place of the next key with the digit */
	uint32_t count[NET_KEY_MAX][256];
};

void net_sort_init(struct net_sort *s, enum nlri_kind kind);
void net_sort_fini(struct net_sort *s);
/* net_sort_add - before the first step. */
void net_sort_add(struct net_sort *s, const struct nlri *n);
/* net_sort_step - sort about @work keys. Returns: true: all keys are sorted. */
bool net_sort_step(struct net_sort *s, uint32_t work);
uint32_t net_sort_cnt(const struct net_sort *s);
struct nlri net_sort_get(const struct net_sort *s, uint32_t at);

#endif
