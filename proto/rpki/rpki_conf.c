/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol rpki`. The thread that parses configurations calls.
 *
 * A change of the cache, or of the way to the cache, restarts an instance; changes of the
 * three intervals take effect without a restart. Tested by
 * test/unit/test_conf_golden.c. */
#include "lib/net/ip.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/rpki/rpki.h"

#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/wire/rtr.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "sysdep/os/file.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define OFF(field) offsetof(struct rpki_conf, field)

/* remote ( ADDRESS | TEXT ) [port N] */
static bool
conf_parse_remote(struct conf_args *a, void *to)
{
	struct rpki_conf *rc = to;
	struct src_pos at = conf_arg_pos(a);
	uint32_t port;

	if (rc->host || !ip_is_none(rc->ip))
		conf_ext(a->ctx, conf_arg_start(a), KNOWN_TERN, "a further 'remote'");
	rc->host = NULL;
	rc->ip = IP_NONE;
	if (conf_arg_is_value(a, T_STRING)) {
		if (!conf_arg_string(a, &rc->host))
			return false;
	} else if (!conf_arg_ip(a, &rc->ip)) {
		return false;
	} else if (ip_is_none(rc->ip)) {
		/* a name, since no address means no remote */
		conf_warning(
		    a->ctx, at, "the system connects to this host for the remote '::'");
		rc->host = "::";
	}
	if (!conf_arg_word(a, "port"))
		return true;
	if (!conf_arg_u32(a, &port, 1, 65535))
		return false;
	rc->port = (uint16_t)port;
	return true;
}

/* refresh [keep] N */
static bool
conf_parse_time(struct conf_args *a, void *to)
{
	struct rpki_time *t = (void *)((char *)to + a->row->off);

	t->keep = conf_arg_word(a, "keep");
	return conf_arg_u32(a, &t->sec, a->row->min, a->row->max);
}

static bool
rpki_conf_parse_password(struct conf_args *a, void *to)
{
	return conf_file_secret(a, 80, /* what TCP MD5 takes */
	    "a password has at most 80 octets", &((struct rpki_conf *)to)->password);
}

static const struct opt_name auth_names[] = {
	{ "none", RPKI_AUTH_NONE },
	{ "md5", RPKI_AUTH_MD5 },
	{ NULL, 0 },
};

static const struct conf_opt transport_options[] = {
	{ "authentication", OPT_ENUM, .off = OFF(auth), .names = auth_names,
	    .help = "of TCP: none, or md5 with a password" },
	{ "password", OPT_CUSTOM, .parse = rpki_conf_parse_password,
	    .form = "( TEXT | file TEXT )", .help = "of TCP MD5 (RFC 2385)" },
	{ "bird private key", OPT_STRING, .off = OFF(private_key),
	    .help = "of SSH: file with our key" },
	{ "remote public key", OPT_STRING, .off = OFF(public_key),
	    .help =
		"of SSH: file with the cache's key, as known_hosts or one public key" },
	{ "user", OPT_STRING, .off = OFF(user), .help = "of SSH: our name at the cache" },
	{ .type = OPT_END },
};

/* transport ( tcp | ssh ) [{ options }] */
static bool
conf_parse_transport(struct conf_args *a, void *to)
{
	struct rpki_conf *rc = to;

	if (conf_arg_word(a, "tcp"))
		rc->transport = RPKI_TCP;
	else if (conf_arg_word(a, "ssh"))
		rc->transport = RPKI_SSH;
	else
		return conf_arg_expected(a, "tcp or ssh");
	rc->auth = RPKI_AUTH_NONE;
	rc->password = rc->private_key = rc->public_key = rc->user = NULL;
	if (conf_arg_peek(a) == ARG_BLOCK)
		conf_arg_block(a, "this block", a->row->sub, to);
	return true;
}

#define TIME_FORM "[keep] NUMBER"

static const struct conf_opt options[] = {
	{ "remote", OPT_CUSTOM, .parse = conf_parse_remote,
	    .form = "( ADDRESS | TEXT ) [port NUMBER]",
	    .help = "the cache, by address or by name" },
	{ NULL, OPT_STRING, .off = OFF(host), .help = "remote",
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(ip), .help = "remote",
	    .min = sizeof(struct ip_addr), .change = CONF_CH_RESTART },
	{ "port", OPT_U16, .off = OFF(port), .min = 1, .max = 65535,
	    .change = CONF_CH_RESTART,
	    .help = "the cache's port; by default 323, or 22 for ssh" },
	{ "local address", OPT_IP, .off = OFF(local_ip), .change = CONF_CH_RESTART,
	    .help = "our address" },
	{ "refresh", OPT_CUSTOM, .parse = conf_parse_time, .form = TIME_FORM,
	    .off = OFF(refresh), .min = 1, .max = 86400,
	    .help = "seconds between queries" },
	{ "retry", OPT_CUSTOM, .parse = conf_parse_time, .form = TIME_FORM,
	    .off = OFF(retry), .min = 1, .max = 7200,
	    .help = "seconds after a failure, at most, and without an answer" },
	{ "expire", OPT_CUSTOM, .parse = conf_parse_time, .form = TIME_FORM,
	    .off = OFF(expire), .min = 600, .max = 172800,
	    .help = "seconds until data of a cache that doesn't answer is dropped" },
	{ NULL, OPT_U32, .off = OFF(refresh.sec), .help = "refresh", .def = 3600,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_U32, .off = OFF(retry.sec), .help = "retry", .def = 600,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_U32, .off = OFF(expire.sec), .help = "expire", .def = 7200,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(refresh.keep), .help = "refresh", .min = 1,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(retry.keep), .help = "retry", .min = 1,
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_FIELD, .off = OFF(expire.keep), .help = "expire", .min = 1,
	    .change = CONF_CH_INPLACE },
	{ "ignore max length", OPT_SWITCH, .off = OFF(ignore_max_length),
	    .change = CONF_CH_RESTART,
	    .help = "take every ROA as a ROA up to the longest prefix" },
	{ "min version", OPT_U8, .off = OFF(min_version), .max = RTR_VERSION_MAX,
	    .change = CONF_CH_RESTART, .help = "lowest version of the protocol" },
	{ "max version", OPT_U8, .off = OFF(max_version), .max = RTR_VERSION_MAX,
	    .def = RTR_VERSION_MAX, .change = CONF_CH_RESTART,
	    .help = "highest version of the protocol" },
	{ "transport", OPT_CUSTOM, .parse = conf_parse_transport,
	    .form = "( tcp | ssh ) [BLOCK]", .sub = transport_options,
	    .help = "how the cache is reached" },
	{ NULL, OPT_FIELD, .off = OFF(transport), .help = "transport", .min = 1,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(auth), .help = "transport", .min = 1,
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(password), .help = "password",
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(private_key), .help = "transport",
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(public_key), .help = "transport",
	    .change = CONF_CH_RESTART },
	{ NULL, OPT_STRING, .off = OFF(user), .help = "transport",
	    .change = CONF_CH_RESTART },
	{ .type = OPT_END },
};

/* ---- a whole instance ---- */

/* conf_check_channels - Returns: what is wrong; NULL: nothing. */
static const char *
conf_check_channels(struct conf_ctx *c, const struct conf_proto *p)
{
	if (!p->chan)
		return "protocol rpki needs a channel: roa4, roa6 or aspa";
	for (const struct conf_channel *ch = p->chan; ch; ch = ch->next) {
		enum filter_verdict v;

		if (!ch->is_rpki)
			return "protocol rpki has channels of type roa4, roa6 and aspa";
		if (ch->export &&
		    (!filter_is_const(ch->export, &v) || v == FILTER_ACCEPT))
			conf_warning(c, ch->pos,
			    "protocol rpki only imports: the export policy has no "
			    "effect");
	}
	return NULL;
}

/* rpki_conf_check_key - warn about an unreadable file; the file may be readable when it
 * is needed. */
static void
rpki_conf_check_key(struct conf_ctx *c, const struct conf_proto *p, const char *path)
{
	int rc = path ? file_may_read(path) : 0;

	if (rc)
		conf_warning(c, p->pos, "can't read %s: %s", path, strerror(-rc));
}

static const char *
conf_check_transport(struct conf_ctx *c, const struct conf_proto *p)
{
	const struct rpki_conf *rc = p->opt;

	if (rc->transport == RPKI_SSH) {
		if (!rc->user)
			return "transport ssh needs a user";
		if (!rc->private_key)
			conf_warning(c, p->pos,
			    "without bird private key no cache accepts transport ssh");
		if (rc->auth == RPKI_AUTH_MD5 || rc->password)
			return "authentication and password belong to transport tcp";
		if (!rc->public_key)
			conf_warning(c, p->pos,
			    "without remote public key another host can pass for the "
			    "cache");
		rpki_conf_check_key(c, p, rc->private_key);
		rpki_conf_check_key(c, p, rc->public_key);
		return NULL;
	}
	if (rc->user || rc->private_key || rc->public_key)
		return "keys and user belong to transport ssh";
	if (rc->auth == RPKI_AUTH_MD5 && !rc->password)
		return "authentication md5 needs a password";
	if (rc->auth == RPKI_AUTH_NONE && rc->password)
		return "a password needs authentication md5";
	return NULL;
}

static bool
rpki_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	const struct rpki_conf *rc = p->opt;
	const char *text = conf_check_channels(c, p);

	if (!text && !rc->host && ip_is_none(rc->ip))
		text = "protocol rpki needs a remote: the cache's address or name";
	if (!text && rc->min_version > rc->max_version)
		text = "min version is above max version";
	if (!text)
		text = conf_check_transport(c, p);
	if (text) {
		conf_error(c, p->pos, "%s", text);
		return false;
	}
	return true;
}

const struct conf_class rpki_conf_class = {
	.keyword = "rpki",
	.name = "RPKI",
	.kind = PROTO_RPKI,
	.preference = 100,
	.has_channels = true,
	.rpki_channels = true,
	.opt = options,
	.opt_size = sizeof(struct rpki_conf),
	.check = rpki_conf_check,
};
