/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting nets for `show route`: a radix sort from the last octet to the first.
 *
 * A key is the address in network order and the length, for a VRP also max_len and the
 * AS, so octet order is the order of nets. Digits are counted when keys are added; a pass
 * is skipped if all keys have one digit, as in most passes for IPv6. A radix sort can
 * stop anywhere and needs no look at the table.
 *
 * I1  Between passes `key` holds all keys, sorted by the finished digits.
 *
 * Loop: the session's. */
#include "nest/cli/show/route/cmd_netsort.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

void
net_sort_init(struct net_sort *s, enum nlri_kind kind)
{
	memset(s, 0, sizeof(*s));
	s->kind = (uint8_t)kind;
	s->key_len = (uint8_t)(4 * nlri_addr_words(kind) + 1 +
			       (nlri_is_ip(kind) ? 0 : 5));
	s->digit = s->key_len - 1;
}

void
net_sort_fini(struct net_sort *s)
{
	mem_free(MEM_OTHER, s->key);
	mem_free(MEM_OTHER, s->spare);
	s->key = s->spare = NULL;
	s->cnt = s->cap = 0;
}

void
net_sort_add(struct net_sort *s, const struct nlri *n)
{
	unsigned words = nlri_addr_words(s->kind);
	uint8_t *k, *to;

	s->key = vec_room(MEM_OTHER, s->key, &s->cap, s->cnt + 1, s->key_len);
	k = s->key + (size_t)s->cnt++ * s->key_len;
	for (unsigned i = 0; i < words; i++)
		put_be32(k + 4 * i, n->word[i]);
	to = k + 4 * words;
	to[0] = (uint8_t)n->head;
	if (!nlri_is_ip(s->kind)) {
		to[1] = (uint8_t)(n->head >> 8);
		put_be32(to + 2, n->word[words]);
	}
	for (unsigned i = 0; i < s->key_len; i++)
		s->count[i][k[i]]++;
}

/* netsort_begin_pass - go to the next digit with different values. Returns: false: none.
 */
static bool
netsort_begin_pass(struct net_sort *s)
{
	uint32_t at = 0;

	while (s->digit >= 0 && s->cnt && s->count[s->digit][s->key[s->digit]] == s->cnt)
		s->digit--;
	if (s->digit < 0 || !s->cnt)
		return false;
	for (unsigned d = 0; d < 256; d++) {
		s->place[d] = at;
		at += s->count[s->digit][d];
	}
	if (!s->spare)
		s->spare = mem_alloc(MEM_OTHER, (size_t)s->cnt * s->key_len);
	s->pos = 0;
	s->in_pass = true;
	return true;
}

static void
netsort_end_pass(struct net_sort *s)
{
	uint8_t *k = s->key;

	s->key = s->spare;
	s->spare = k;
	s->digit--;
	s->in_pass = false;
}

bool
net_sort_step(struct net_sort *s, uint32_t work)
{
	size_t len = s->key_len;

	while (s->in_pass || netsort_begin_pass(s)) {
		uint32_t end = (uint32_t)min_u64((uint64_t)s->pos + work, s->cnt);

		work -= end - s->pos;
		for (; s->pos < end; s->pos++) {
			const uint8_t *k = s->key + s->pos * len;

			memcpy(s->spare + s->place[k[s->digit]]++ * len, k, len);
		}
		if (s->pos == s->cnt)
			netsort_end_pass(s);
		else
			return false;
	}
	mem_free(MEM_OTHER, s->spare);
	s->spare = NULL;
	return true;
}

uint32_t
net_sort_cnt(const struct net_sort *s)
{
	return s->cnt;
}

struct nlri
net_sort_get(const struct net_sort *s, uint32_t at)
{
	const uint8_t *k = s->key + (size_t)at * s->key_len;
	unsigned words = nlri_addr_words(s->kind);
	struct nlri n;

	for (unsigned i = 0; i < words; i++)
		n.word[i] = get_be32(k + 4 * i);
	k += 4 * words;
	n.head = k[0];
	if (!nlri_is_ip(s->kind)) {
		n.head |= (uint16_t)(k[1] << 8);
		n.word[words] = get_be32(k + 2);
	}
	return n;
}
