/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of BFD sessions.
 *
 *      interval 100 ms; multiplier 3;
 *      authentication meticulous keyed sha1;
 *      password "x" { id 5; generate from "2026-01-01"; accept to "2027-01-01"; };
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. Tested by
 * test/unit/test_conf_golden.c and test/net/test_bfd.py. */
#include "nest/bfd/bfd_opts.h"

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/crypto/digest.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/os/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define DEFAULT_RX_NS   (10 * NS_PER_MS)
#define DEFAULT_TX_NS   (100 * NS_PER_MS)
#define DEFAULT_IDLE_NS NS_PER_S
#define DEFAULT_MULT    5
#define INTERVAL_MAX_NS (3600 * NS_PER_S) /* 32 bits of microseconds are 4,294 s */

#define OFF(field) offsetof(struct bfd_opts, field)

/* ---- passwords ---- */

struct key_in_making {
	uint32_t id;
	uint64_t send_from_s, send_to_s, accept_from_s, accept_to_s;
};

/* opts_read_date - read "2026-01-31", optionally with " 12:59" and ":59", in local time.
 */
static bool
opts_read_date(const char *text, uint64_t *out)
{
	struct tm tm = { .tm_isdst = -1 };
	int end = 0;
	int64_t t;

	if (sscanf(text, "%4d-%2d-%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &end) < 3)
		return false;
	text += end;
	end = 0;
	if (*text) {
		if (sscanf(text, " %2d:%2d%n", &tm.tm_hour, &tm.tm_min, &end) < 2)
			return false;
		text += end;
		end = 0;
		if (*text && sscanf(text, ":%2d%n", &tm.tm_sec, &end) < 1)
			return false;
		if (text[end])
			return false;
	}
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60 || tm.tm_year < 1970)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	t = clock_of_local(&tm);
	*out = t < 0 ? 0 : (uint64_t)t;
	return t >= 0;
}

static bool
opts_parse_date(struct conf_args *a, void *to)
{
	struct src_pos at = conf_arg_pos(a);
	struct key_in_making *k = to;
	const char *text;
	bool from = !!strstr(a->row->words, "from");
	uint64_t t;

	if (!conf_arg_string(a, &text))
		return false;
	if (!opts_read_date(text, &t)) {
		conf_error(a->ctx, at, "expected a time, as \"2026-01-31 12:00:00\"");
		return false;
	}
	if (strncmp(a->row->words, "accept", 6))
		*(from ? &k->send_from_s : &k->send_to_s) = t;
	if (strncmp(a->row->words, "generate", 8))
		*(from ? &k->accept_from_s : &k->accept_to_s) = t;
	return true;
}

#define DATE(w, h)                                                                       \
	{                                                                                \
		w, OPT_CUSTOM, .form = "TEXT", .parse = opts_parse_date, .help = (h)     \
	}

static const struct conf_opt key_options[] = {
	{ "id", OPT_U32, .off = offsetof(struct key_in_making, id), .max = 255,
	    .help = "number of the key; by default its place, from 1" },
	DATE("generate from", "first time to sign with the key"),
	DATE("generate to", "last time to sign with the key"),
	DATE("accept from", "first time to accept the key"),
	DATE("accept to", "last time to accept the key"),
	DATE("from", "first time for both"),
	DATE("to", "last time for both"),
	{ .type = OPT_END },
};

/* bfd_opts_add - add a key to a new list, since the present list may be shared. */
static void
bfd_opts_add(struct conf_ctx *c, struct bfd_opts *to, const struct bfd_opt_key *k)
{
	struct bfd_opt_key *all = arena_alloc(
	    conf_arena(c), (to->key_cnt + 1) * sizeof(*all));

	if (to->key_cnt)
		memcpy(all, to->key, to->key_cnt * sizeof(*all));
	all[to->key_cnt++] = *k;
	to->key = all;
}

static bool
opts_read_octets(struct conf_args *a, struct bfd_opt_key *k)
{
	static const char wrong[] = "a password of BFD has 1 to 20 octets";
	struct src_pos at = conf_arg_pos(a);
	/* BIRD takes a literal of any length, and the first octets count */
	bool literal = conf_arg_is_value(a, T_STRING);
	char plain[VEIL_MAX + 1];
	const uint8_t *p;
	const char *text;
	uint32_t len;

	conf_arg_secret(a);
	if (conf_arg_is_value(a, T_BYTES)) {
		if (!conf_arg_bytes(a, &p, &len))
			return false;
	} else if (literal) {
		if (!conf_arg_string(a, &text))
			return false;
		len = (uint32_t)strlen(text);
		p = (const uint8_t *)text;
	} else if (conf_file_secret(a, VEIL_MAX, wrong, &text)) {
		len = (uint32_t)unveil_text(plain, text);
		p = (const uint8_t *)plain;
	} else {
		return false;
	}
	if (!literal && (!len || len > BFD_KEY_MAX)) {
		conf_error(a->ctx, at, "%s", wrong);
		explicit_bzero(plain, sizeof(plain));
		return false;
	}
	if (!len)
		conf_warning(a->ctx, at, "an empty password of BFD has no effect");
	if (len > BFD_KEY_MAX) {
		conf_warning(a->ctx, at,
		    "a password of BFD has at most %u octets; the first %u count",
		    BFD_KEY_MAX, BFD_KEY_MAX);
		len = BFD_KEY_MAX;
	}
	veil_octets(k->secret, p, len);
	explicit_bzero(plain, sizeof(plain));
	k->len = (uint8_t)len;
	return true;
}

static bool
bfd_opts_parse_password(struct conf_args *a, void *to)
{
	struct bfd_opts *b = to;
	struct key_in_making m = { .id = (b->key_cnt + 1) & 255,
		.send_to_s = UINT64_MAX,
		.accept_to_s = UINT64_MAX };
	struct src_pos at = conf_arg_pos(a);
	struct bfd_opt_key k;

	memset(&k, 0, sizeof(k));
	if (!opts_read_octets(a, &k))
		return false;
	if (conf_arg_peek(a) == ARG_BLOCK)
		conf_arg_block(a, "the password", key_options, &m);
	if (b->key_cnt == BFD_KEYS_MAX) {
		conf_error(a->ctx, at, "at most %u passwords are possible", BFD_KEYS_MAX);
		return false;
	}
	if (!k.len)
		return true;
	k.id = (uint8_t)m.id;
	k.send_from_s = m.send_from_s;
	k.send_to_s = m.send_to_s;
	k.accept_from_s = m.accept_from_s;
	k.accept_to_s = m.accept_to_s;
	bfd_opts_add(a->ctx, b, &k);
	return true;
}

#define PASSWORD(w)                                                                      \
	{                                                                                \
		w, OPT_CUSTOM, .form = "( TEXT | BYTES | file TEXT ) [BLOCK]",           \
			       .sub = key_options, .parse = bfd_opts_parse_password,     \
			       .help = "a key; several keys are possible"                \
	}

static const struct conf_opt passwords_options[] = { PASSWORD("password"),
	PASSWORD("key"), { .type = OPT_END } };

static bool
opts_parse_passwords(struct conf_args *a, void *to)
{
	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "{");
	conf_arg_block(a, "the passwords", passwords_options, to);
	return true;
}

/* ---- options other than keys ---- */

static bool
opts_read_interval(struct conf_args *a, uint64_t *out)
{
	static const struct conf_opt time = { .words = "interval", .type = OPT_TIME_NS };
	struct src_pos at = conf_arg_pos(a);
	bool low;

	if (!conf_opt_value(&time, a, out))
		return false;
	low = *out < BFD_INTERVAL_NS;
	if (!low && *out <= INTERVAL_MAX_NS)
		return true;
	conf_warning(a->ctx, at, "an interval of BFD is 1 ms to 3600 s; %s counts",
	    low ? "1 ms" : "3600 s");
	*out = low ? BFD_INTERVAL_NS : INTERVAL_MAX_NS;
	return true;
}

static bool
opts_parse_interval(struct conf_args *a, void *to)
{
	struct bfd_opts *b = to;
	uint64_t ns;

	if (!opts_read_interval(a, &ns))
		return false;
	if (!strcmp(a->row->words, "idle tx interval"))
		b->idle_tx_ns = ns;
	else if (!strcmp(a->row->words, "min rx interval"))
		b->min_rx_ns = ns;
	else if (!strcmp(a->row->words, "min tx interval"))
		b->min_tx_ns = ns;
	else
		b->min_rx_ns = b->min_tx_ns = ns;
	return true;
}

static bool
opts_parse_mult(struct conf_args *a, void *to)
{
	struct bfd_opts *b = to;

	return conf_arg_bounded(a, &b->mult, 1, 255);
}

static bool
opts_parse_auth(struct conf_args *a, void *to)
{
	struct bfd_opts *b = to;
	bool met;

	b->has_auth = true;
	b->auth = BFD_AUTH_NONE;
	if (conf_arg_word(a, "none"))
		return true;
	if (conf_arg_word(a, "simple")) {
		b->auth = BFD_AUTH_SIMPLE;
		return true;
	}
	met = conf_arg_word(a, "meticulous");
	if (!conf_arg_word(a, "keyed"))
		return conf_arg_expected(
		    a, met ? "keyed" : "none, simple, keyed or meticulous");
	if (conf_arg_word(a, "md5"))
		b->auth = met ? BFD_AUTH_MET_MD5 : BFD_AUTH_MD5;
	else if (conf_arg_word(a, "sha1"))
		b->auth = met ? BFD_AUTH_MET_SHA1 : BFD_AUTH_SHA1;
	else
		return conf_arg_expected(a, "md5 or sha1");
	if (!digest_weak_allowed()) {
		conf_error(a->ctx, conf_arg_start(a),
		    "libcrypto does not compute MD5 and SHA-1 here");
		return false;
	}
	return true;
}

#define INTERVAL(w, h)                                                                   \
	{                                                                                \
		w, OPT_CUSTOM, .form = "TIME", .parse = opts_parse_interval, .help = (h) \
	}

static const struct opt_name choices[] = {
	{ "on", BFD_YES },
	{ "yes", BFD_YES },
	{ "true", BFD_YES },
	{ "off", BFD_NO },
	{ "no", BFD_NO },
	{ "false", BFD_NO },
	{ NULL, 0 },
};

const struct conf_opt bfd_opts_table[] = {
	INTERVAL("interval", "both of the next two"),
	INTERVAL("min rx interval", "least time between packets to us; 10 ms"),
	INTERVAL("min tx interval", "least time between our packets; 100 ms"),
	INTERVAL("idle tx interval", "between packets while the session isn't up; 1 s"),
	{ "multiplier", OPT_CUSTOM, .parse = opts_parse_mult, .form = "NUMBER",
	    .help = "number of intervals without a packet until the session is down; 5" },
	{ "passive", OPT_ENUM, .off = OFF(passive), .names = choices,
	    .help = "wait for the other side" },
	{ "graceful", OPT_ENUM, .off = OFF(graceful), .names = choices,
	    .known = KNOWN_NO_VALUE,
	    .help = "going down is a graceful restart of the BGP session" },
	{ "authentication", OPT_CUSTOM, .parse = opts_parse_auth,
	    .form = "( none | simple | [meticulous] keyed ( md5 | sha1 ) )",
	    .help = "of packets" },
	PASSWORD("password"),
	PASSWORD("key"),
	{ "passwords", OPT_CUSTOM, .form = "BLOCK", .sub = passwords_options,
	    .parse = opts_parse_passwords, .help = "several keys" },
	{ .type = OPT_END },
};

/* ---- blocks ---- */

/* bfd_opts_text_of - text of all options that distinguish sessions. */
static const char *
bfd_opts_text_of(struct conf_ctx *c, const struct bfd_opts *o)
{
	struct strbuf s;
	char *out;

	strbuf_init(&s);
	strbuf_addf(&s, "%llu %llu %llu %u %u %u %u %u", (unsigned long long)o->min_rx_ns,
	    (unsigned long long)o->min_tx_ns, (unsigned long long)o->idle_tx_ns, o->mult,
	    o->passive, o->graceful, o->has_auth, o->auth);
	for (uint32_t i = 0; i < o->key_cnt; i++) {
		const struct bfd_opt_key *k = &o->key[i];

		strbuf_addf(&s, " %u %llu %llu %llu %llu ", k->id,
		    (unsigned long long)k->send_from_s, (unsigned long long)k->send_to_s,
		    (unsigned long long)k->accept_from_s,
		    (unsigned long long)k->accept_to_s);
		for (size_t b = 0; b < sizeof(k->secret); b++)
			strbuf_addf(&s, "%02x", k->secret[b]);
	}
	out = arena_strdup(conf_arena(c), s.s);
	strbuf_fini(&s);
	return out;
}

/* opts_cut_keys - the authentication of @o may have shorter passwords than BFD has. */
static void
opts_cut_keys(struct conf_ctx *c, struct src_pos at, struct bfd_opts *o)
{
	unsigned max = o->auth ? bfd_auth_key_max(o->auth) : BFD_KEY_MAX;
	struct bfd_opt_key *all = arena_alloc(
	    conf_arena(c), (o->key_cnt + 1) * sizeof(*all));

	for (uint32_t i = 0; i < o->key_cnt; i++) {
		all[i] = o->key[i];
		if (all[i].len <= max)
			continue;
		conf_warning(c, at,
		    "a password of authentication %s has at most %u octets; the first %u "
		    "count",
		    bfd_auth_text(o->auth), max, max);
		all[i].len = (uint8_t)max;
		memset(all[i].secret + VEIL_NONCE + max, 0, BFD_KEY_MAX - max);
	}
	o->key = all;
}

const struct bfd_opts *
bfd_opts_parse(struct conf_args *a)
{
	struct bfd_opts *o = arena_zalloc(conf_arena(a->ctx), sizeof(*o));
	struct src_pos at = conf_arg_pos(a);

	conf_opt_defaults(bfd_opts_table, o);
	conf_arg_block(a, "BFD", bfd_opts_table, o);
	if (o->auth && !o->key_cnt)
		conf_warning(a->ctx, at, "authentication of BFD needs a password");
	if (!o->auth && o->key_cnt)
		conf_warning(a->ctx, at, "a password of BFD needs authentication");
	opts_cut_keys(a->ctx, at, o);
	o->text = bfd_opts_text_of(a->ctx, o);
	return o;
}

OWNED struct bfd_opts *
bfd_opts_copy(const struct bfd_opts *o)
{
	size_t keys = o ? o->key_cnt * sizeof(*o->key) : 0;
	struct bfd_opts *n = mem_zalloc(MEM_PROTO, sizeof(*n) + keys);

	if (!o)
		return n;
	*n = *o;
	n->text = NULL;
	n->key = (const struct bfd_opt_key *)(n + 1);
	if (keys)
		memcpy(n + 1, o->key, keys);
	return n;
}

void
bfd_opts_merge(
    struct bfd_opts *out, const struct bfd_opts *first, const struct bfd_opts *then)
{
	static const struct bfd_opts defaults = { .min_rx_ns = DEFAULT_RX_NS,
		.min_tx_ns = DEFAULT_TX_NS,
		.idle_tx_ns = DEFAULT_IDLE_NS,
		.mult = DEFAULT_MULT,
		.passive = BFD_NO,
		.graceful = BFD_NO,
		.has_auth = true };
	const struct bfd_opts *from[3] = { first, then, &defaults };

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < 3; i++) {
		const struct bfd_opts *o = from[i];

		if (!o)
			continue;
		if (!out->min_rx_ns)
			out->min_rx_ns = o->min_rx_ns;
		if (!out->min_tx_ns)
			out->min_tx_ns = o->min_tx_ns;
		if (!out->idle_tx_ns)
			out->idle_tx_ns = o->idle_tx_ns;
		if (!out->mult)
			out->mult = o->mult;
		if (!out->passive)
			out->passive = o->passive;
		if (!out->graceful)
			out->graceful = o->graceful;
		if (!out->has_auth && o->has_auth) {
			out->has_auth = true;
			out->auth = o->auth;
		}
		if (!out->key_cnt && o->key_cnt) {
			out->key_cnt = o->key_cnt;
			out->key = o->key;
		}
	}
}

/* ---- keys ---- */

void
bfd_opts_key_open(struct bfd_key *out, const struct bfd_opt_key *k)
{
	out->len = k->len;
	unveil_octets(out->octet, k->secret, k->len);
}

const struct bfd_opt_key *
bfd_opts_key_to_send(const struct bfd_opts *o, uint64_t now_s)
{
	const struct bfd_opt_key *best = NULL;

	for (uint32_t i = 0; i < o->key_cnt; i++) {
		const struct bfd_opt_key *k = &o->key[i];

		if (k->send_from_s <= now_s && now_s <= k->send_to_s &&
		    (!best || k->send_from_s > best->send_from_s))
			best = k;
	}
	return best;
}

const struct bfd_opt_key *
bfd_opts_key_by_id(const struct bfd_opts *o, unsigned id, uint64_t now_s)
{
	for (uint32_t i = 0; i < o->key_cnt; i++) {
		const struct bfd_opt_key *k = &o->key[i];

		if (k->id == id && k->accept_from_s <= now_s && now_s <= k->accept_to_s)
			return k;
	}
	return NULL;
}
