/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of BFD sessions, from interfaces of `protocol bfd` and from askers. Loop: the
 * thread that parses; functions on parsed options run in any thread. */
#ifndef TERN_NEST_BFD_BFD_OPTS_H
#define TERN_NEST_BFD_BFD_OPTS_H

#include "lib/crypto/veil.h"
#include "lib/wire/bfd.h"
#include "nest/conf/opt/conf_opt.h"

#define BFD_KEYS_MAX    64
#define BFD_INTERVAL_NS 1000000ull /* the shortest accepted interval */

/* A switch that may be left unset. */
enum bfd_choice { BFD_UNSAID = 0, BFD_NO, BFD_YES };

/* A key with its times, in seconds since 1970, ends included. Owner: the configuration,
 * which it lives as long as. Freed by: the arena of the configuration. */
struct bfd_opt_key {
	uint8_t len; /* octets of the secret */
	uint8_t secret[VEIL_NONCE + BFD_KEY_MAX]; /* veiled (lib/crypto/veil.h) */
	uint8_t id;
	uint64_t send_from_s, send_to_s, accept_from_s, accept_to_s;
};

/* Zeros: unset. Immutable after parsing. Owner: the configuration, or a copy of
 * bfd_opts_copy; freed with it. */
struct bfd_opts {
	uint64_t min_rx_ns, min_tx_ns, idle_tx_ns;
	uint32_t mult; /* up to 255 */
	uint8_t passive, graceful; /* enum bfd_choice */
	bool has_auth;
	uint8_t auth; /* enum bfd_auth_type */
	uint32_t key_cnt;
	const struct bfd_opt_key *key;
	/* all options as text, for comparison; never shown, since it contains keys */
	const char *text;
};

/* Rows of a block `interface`, `multihop`, or `bfd` of another protocol; for struct
 * bfd_opts. */
extern const struct conf_opt bfd_opts_table[];

/* bfd_opts_parse - parse and check a block of options. Returns: NULL: invalid; the error
 * was reported. */
const struct bfd_opts *bfd_opts_parse(struct conf_args *a);
/* bfd_opts_copy - one memory block, without text. MEM_PROTO. @o NULL: unset options. */
OWNED struct bfd_opts *bfd_opts_copy(const struct bfd_opts *o);
/* bfd_opts_merge - take options from @first, unset options from @then (NULL: none), then
 * from the defaults. Keys are not copied. Pure. */
void bfd_opts_merge(
    struct bfd_opts *out, const struct bfd_opts *first, const struct bfd_opts *then);
/* bfd_opts_key_open - open the key @k for the codec. The caller wipes @out
 * (explicit_bzero). */
void bfd_opts_key_open(struct bfd_key *out, const struct bfd_opt_key *k);
/* bfd_opts_key_to_send - of the keys valid at @now_s, the key with the latest beginning;
 * NULL: none. bfd_opts_key_by_id - the key for a check. Pure. */
const struct bfd_opt_key *bfd_opts_key_to_send(const struct bfd_opts *o, uint64_t now_s);
const struct bfd_opt_key *bfd_opts_key_by_id(
    const struct bfd_opts *o, unsigned id, uint64_t now_s);

#endif
