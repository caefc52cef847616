/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a BFD session is to be like, as interfaces of `protocol bfd` and those who ask for
 * sessions say it. */
#ifndef TERN_NEST_BFD_OPTS_H
#define TERN_NEST_BFD_OPTS_H

#include "lib/wire/bfd.h"
#include "nest/conf/opt/conf_opt.h"

#define BFD_KEYS_MAX    64
#define BFD_INTERVAL_NS 1000000ull /* the shortest that is taken */

/* A switch that may be left to others. */
enum bfd_choice { BFD_UNSAID = 0, BFD_NO, BFD_YES };

/* A key and its times, in seconds since 1970; the ends belong to them. */
struct bfd_opt_key {
	struct bfd_key key;
	uint8_t id;
	uint64_t send_from_s, send_to_s, accept_from_s, accept_to_s;
};

/* Zeros: nothing is said. Immutable after parsing; lives as its configuration, or in a
 * copy of bfd_opts_copy. */
struct bfd_opts {
	uint64_t min_rx_ns, min_tx_ns, idle_tx_ns;
	uint32_t mult; /* up to 255 */
	uint8_t passive, graceful; /* enum bfd_choice */
	bool has_auth;
	uint8_t auth; /* enum bfd_auth_type */
	uint32_t key_cnt;
	const struct bfd_opt_key *key;
	/* all of it as text, to compare; not to be shown: it has the keys */
	const char *text;
};

/* The rows of a block `interface`, `multihop`, or `bfd` of other protocols; the table is
 * for struct bfd_opts. */
extern const struct conf_opt bfd_opts_table[];

/* bfd_opts_parse - step over a block of them, and check it. Returns: NULL after it has
 * said what is wrong. */
const struct bfd_opts *bfd_opts_parse(struct conf_ctx *c, struct conf_args *a);
/* bfd_opts_copy - one block, without text. MEM_PROTO. @o: NULL: nothing is said. */
OWNED struct bfd_opts *bfd_opts_copy(const struct bfd_opts *o);
/* bfd_opts_merge - @first, and what it leaves unsaid from @then (NULL: nothing) and then
 * the defaults. Keys aren't copied. Pure. */
void bfd_opts_merge(
    struct bfd_opts *out, const struct bfd_opts *first, const struct bfd_opts *then);
/* bfd_opts_key_to_send - that of the latest beginning among those that count at @now_s;
 * NULL: none does. bfd_opts_key_by_id - the one to check with. Pure. */
const struct bfd_opt_key *bfd_opts_key_to_send(const struct bfd_opts *o, uint64_t now_s);
const struct bfd_opt_key *bfd_opts_key_by_id(
    const struct bfd_opts *o, unsigned id, uint64_t now_s);

#endif
