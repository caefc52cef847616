/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the block `keys { key { ... }; ... }`, and stores the keys of TCP-AO.
 *
 * No state; in the thread that parses. Tested by test/conf/keys*.conf. */
#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/crypto/veil.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "sysdep/sock/sock_ao.h"
#include <stddef.h>
#include <string.h>

/* A key in the making. */
struct key_conf {
	struct sock_ao_key key;
	bool has_send, has_recv;
};

static bool
keys_parse_send_id(struct conf_args *a, void *to)
{
	struct key_conf *k = to;
	uint32_t n;

	if (!conf_arg_u32(a, &n, 0, 255))
		return false;
	k->key.send_id = (uint8_t)n;
	return k->has_send = true;
}

static bool
keys_parse_recv_id(struct conf_args *a, void *to)
{
	struct key_conf *k = to;
	uint32_t n;

	if (!conf_arg_u32(a, &n, 0, 255))
		return false;
	k->key.recv_id = (uint8_t)n;
	return k->has_recv = true;
}

static bool
bgp_conf_keys_parse_id(struct conf_args *a, void *to)
{
	struct key_conf *k = to;

	if (!keys_parse_send_id(a, to))
		return false;
	k->key.recv_id = k->key.send_id;
	return k->has_recv = true;
}

static bool
keys_parse_secret(struct conf_args *a, void *to)
{
	struct sock_ao_key *k = &((struct key_conf *)to)->key;
	struct src_pos pos = conf_arg_pos(a);
	static const char wrong[] = "a secret has 1 to 80 octets";
	char plain[VEIL_MAX + 1];
	const uint8_t *octets;
	const char *text;
	uint32_t len;

	conf_arg_secret(a);
	if (conf_arg_is_value(a, T_BYTES)) {
		if (!conf_arg_bytes(a, &octets, &len))
			return false;
	} else {
		if (!conf_file_secret(a, SOCK_AO_SECRET, wrong, &text))
			return false;
		len = (uint32_t)unveil_text(plain, text);
		octets = (const uint8_t *)plain;
	}
	memset(k->secret, 0, sizeof(k->secret));
	if (len && len <= SOCK_AO_SECRET)
		veil_octets(k->secret, octets, len);
	else
		conf_error(a->ctx, pos, "%s", wrong);
	explicit_bzero(plain, sizeof(plain));
	k->len = (uint8_t)len;
	return len && len <= SOCK_AO_SECRET;
}

static bool
keys_parse_algorithm(struct conf_args *a, void *to)
{
	static const struct opt_name hmac[] = {
		{ "md5", SOCK_AO_HMAC_MD5 },
		{ "sha1", SOCK_AO_HMAC_SHA1 },
		{ "sha256", SOCK_AO_HMAC_SHA256 },
		{ "sha384", SOCK_AO_HMAC_SHA384 },
		{ "sha512", SOCK_AO_HMAC_SHA512 },
		{ NULL, 0 },
	};
	struct sock_ao_key *k = &((struct key_conf *)to)->key;

	if (conf_arg_word(a, "cmac")) {
		k->alg = SOCK_AO_CMAC_AES128;
		return conf_arg_word(a, "aes128") || conf_arg_expected(a, "aes128");
	}
	if (!conf_arg_word(a, "hmac"))
		return conf_arg_expected(a, "hmac or cmac");
	for (const struct opt_name *n = hmac; n->word; n++)
		if (conf_arg_word(a, n->word)) {
			k->alg = (uint8_t)n->value;
			return true;
		}
	return conf_arg_expected(a, "md5, sha1, sha256, sha384 or sha512");
}

static const struct conf_opt key_options[] = {
	{ "id", OPT_CUSTOM, .parse = bgp_conf_keys_parse_id, .form = "NUMBER",
	    .help = "number of the key, both ways" },
	{ "send id", OPT_CUSTOM, .parse = keys_parse_send_id, .form = "NUMBER",
	    .help = "number of the key in our segments" },
	{ "recv id", OPT_CUSTOM, .parse = keys_parse_recv_id, .form = "NUMBER",
	    .help = "number of the key in the peer's segments" },
	{ "secret", OPT_CUSTOM, .parse = keys_parse_secret,
	    .form = "( TEXT | BYTES | file TEXT )",
	    .help = "the key, of 1 to 80 octets" },
	{ "algorithm", OPT_CUSTOM, .parse = keys_parse_algorithm,
	    .form = "( hmac ( md5 | sha1 | sha256 | sha384 | sha512 ) | cmac aes128 )",
	    .help = "algorithm of the signature (default: hmac sha1)" },
	{ "preferred", OPT_SWITCH, .off = offsetof(struct key_conf, key.preferred),
	    .known = KNOWN_NO_VALUE, .help = "ask the peer to sign with this key" },
	{ "deprecated", OPT_SWITCH, .off = offsetof(struct key_conf, key.deprecated),
	    .known = KNOWN_NO_VALUE,
	    .help = "accept this key, but don't ask for this key" },
	{ .type = OPT_END },
};

/* bgp_conf_keys_check_key - Returns: the error in @k, including conflicts with the keys
 * of @ao; NULL: none. */
static const char *
bgp_conf_keys_check_key(const struct sock_ao *ao, const struct key_conf *k)
{
	if (!k->has_send || !k->has_recv)
		return "a key needs an id";
	if (!k->key.len)
		return "a key needs a secret";
	if (k->key.preferred && k->key.deprecated)
		return "a key can't be preferred and deprecated";
	if (ao->cnt == SOCK_AO_KEYS)
		return "too many keys, more than 8";
	for (unsigned i = 0; i < ao->cnt; i++)
		if (ao->key[i].send_id == k->key.send_id ||
		    ao->key[i].recv_id == k->key.recv_id)
			return "another key has the same id";
	return NULL;
}

static bool
keys_parse_key(struct conf_args *a, void *to)
{
	struct sock_ao *ao = to;
	struct src_pos pos = conf_arg_pos(a);
	struct key_conf k = { 0 };
	const char *text;
	unsigned errors;

	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "a block of options");
	errors = a->ctx->diag->error_cnt;
	conf_arg_block(a, "the key", key_options, &k);
	if (a->ctx->diag->error_cnt !=
	    errors) /* what the key lacks may be a wrong option */
		return true;
	text = bgp_conf_keys_check_key(ao, &k);
	if (text) {
		conf_error(a->ctx, pos, "%s", text);
		return false;
	}
	ao->key[ao->cnt++] = k.key;
	return true;
}

const struct conf_opt bgp_conf_keys_options[] = {
	{ "key", OPT_CUSTOM, .parse = keys_parse_key, .form = "BLOCK", .sub = key_options,
	    .help = "a key; at most 8" },
	{ .type = OPT_END },
};

bool
bgp_conf_parse_keys(struct conf_args *a, void *to)
{
	struct bgp_conf *b = to;

	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "a block of keys");
	memset(&b->auth.ao, 0, sizeof(b->auth.ao)); /* those of the template */
	conf_arg_block(a, "the keys", bgp_conf_keys_options, &b->auth.ao);
	return true;
}
