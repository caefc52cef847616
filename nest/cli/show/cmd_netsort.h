/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefixes of one family put in order, a bounded amount of work at a time. Memory: 10
 * octets a prefix (IPv4) or 34 (IPv6). Owner only. */
#ifndef TERN_NEST_CMD_NETSORT_H
#define TERN_NEST_CMD_NETSORT_H

#include "lib/net/prefix.h"

#define NET_KEY_MAX 17

/* lives: as long as its command. */
struct net_sort {
	/* private */
	uint8_t *key, *spare; /* cnt keys of key_len octets; spare: while sorting */
	uint32_t cnt, cap;
	uint8_t key_len;
	uint8_t fam; /* enum family */
	int digit; /* of the present pass; -1: sorted */
	bool in_pass;
	uint32_t pos; /* in the present pass */
	uint32_t place[256]; /* where the next key with this digit goes */
	uint32_t count[NET_KEY_MAX][256];
};

void net_sort_init(struct net_sort *s, enum family fam);
void net_sort_fini(struct net_sort *s);
/* net_sort_add - before the first step. */
void net_sort_add(struct net_sort *s, const struct prefix *p);
/* net_sort_step - about @work keys' worth of sorting. Returns: whether all is sorted. */
bool net_sort_step(struct net_sort *s, uint32_t work);
uint32_t net_sort_cnt(const struct net_sort *s);
struct prefix net_sort_get(const struct net_sort *s, uint32_t i);

#endif
