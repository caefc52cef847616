/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol image`.
 *
 * The file does not configure a channel: this code makes the channel, of the family of
 * the table. Two instances with one file would replace each other's images, so ternd
 * refuses such a configuration. Tested by test/unit/test_conf_golden.c.
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. */
#include "proto/image/image_conf.h"

#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/hash.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"

#include <stddef.h>

#define OFF(field) offsetof(struct image_conf, field)

/* ---- options ---- */

/* The attributes of an entry, by their words in a file. */
static const struct image_attribute {
	const char *first, *second; /* second NULL: one word */
	uint32_t field; /* FIB_WITH_*; 0: the next hop */
} attributes[] = {
	{ "next", "hop", 0 },
	{ "origin", "as", FIB_WITH_ORIGIN },
	{ "peer", "as", FIB_WITH_PEER },
	{ "communities", NULL, FIB_WITH_COMMUNITIES },
	{ "rpki", NULL, FIB_WITH_RPKI },
};

static const struct image_attribute *
conf_attribute_take(struct conf_args *a)
{
	for (unsigned i = 0; i < ARRAY_LEN(attributes); i++) {
		struct conf_args ahead = *a;

		if (!conf_arg_word(&ahead, attributes[i].first) ||
		    (attributes[i].second &&
			!conf_arg_word(&ahead, attributes[i].second)))
			continue;
		*a = ahead;
		return &attributes[i];
	}
	return NULL;
}

/* attributes { next hop, origin as, peer as, communities, rpki } */
static bool
conf_parse_attributes(struct conf_args *a, void *to)
{
	struct image_conf *m = to;
	struct conf_args in;

	if (!conf_arg_list(a, &in))
		return false;
	m->attributes_given = true;
	m->next_hop = false;
	m->fields = 0;
	do {
		const struct image_attribute *x = conf_attribute_take(&in);

		if (!x)
			return conf_arg_expected(&in,
			    "an attribute of an image: next hop, origin as, peer as, "
			    "communities or rpki");
		m->fields |= x->field;
		m->next_hop |= !x->field;
	} while (conf_arg_comma(&in));
	return conf_arg_done(&in);
}

/* stage 16 [, 8 ] - the format has fixed stages: the option states the stages that the
 * operator expects. */
static bool
conf_parse_stage(struct conf_args *a, void *to)
{
	struct src_pos first = conf_arg_pos(a), second;
	uint32_t bits, step = FIB_STRIDE;

	(void)to;
	if (!conf_arg_u32(a, &bits, 1, 32))
		return false;
	second = first;
	if (conf_arg_comma(a)) {
		second = conf_arg_pos(a);
		if (!conf_arg_u32(a, &step, 1, 32))
			return false;
	}
	if (bits != FIB_STAGE_BITS) {
		conf_error(a->ctx, first,
		    "the first stage of an image has %u bits, not %u", FIB_STAGE_BITS,
		    bits);
		return false;
	}
	if (step != FIB_STRIDE && step != 4) {
		conf_error(a->ctx, second,
		    "a further stage of an image has %u bits, not %u", FIB_STRIDE, step);
		return false;
	}
	if (step != FIB_STRIDE)
		conf_warning(a->ctx, second,
		    "the image gets stages of %u and %u bits, not of %u and %u bits",
		    FIB_STAGE_BITS, FIB_STRIDE, bits, step);
	return true;
}

static const struct conf_opt options[] = {
	/* the channel has the table: another table means a restart */
	{ "table", OPT_TABLE, .off = OFF(table), .known = KNOWN_TERN,
	    .help = "table; the image has the best routes of the table" },
	{ "filename", OPT_STRING, .off = OFF(filename), .change = CONF_CH_INPLACE,
	    .known = KNOWN_TERN, .help = "the file that other processes map" },
	{ "stage", OPT_CUSTOM, .parse = conf_parse_stage, .form = "NUMBER [, NUMBER]",
	    .known = KNOWN_TERN,
	    .help = "address bits of the first stage and of each further stage; 16, 8 is "
		    "the only form, and 16, 4 gives the same image with a warning" },
	{ "attributes", OPT_CUSTOM, .parse = conf_parse_attributes, .form = "BLOCK",
	    .known = KNOWN_TERN,
	    .help = "facts of a route in the image: next hop, origin as, peer as, "
		    "communities, rpki; default: next hop" },
	{ NULL, OPT_FIELD, .off = OFF(fields), .min = sizeof(uint32_t),
	    .help = "attributes", .change = CONF_CH_RESTART },
	{ NULL, OPT_FIELD, .off = OFF(next_hop), .min = sizeof(bool),
	    .help = "attributes", .change = CONF_CH_RESTART },
	{ "roa table", OPT_TABLE, .off = OFF(roa), .change = CONF_CH_INPLACE,
	    .known = KNOWN_TERN,
	    .help = "the ROA table for the attribute rpki (default: the only ROA table "
		    "of the family)" },
	{ "resolve", OPT_SWITCH, .off = OFF(resolve), .def = 1, .change = CONF_CH_RESTART,
	    .known = KNOWN_TERN,
	    .help = "yes: the next hops that the kernel would use, with interfaces; no: "
		    "the next "
		    "hops as received" },
	{ "persist", OPT_SWITCH, .off = OFF(persist), .change = CONF_CH_INPLACE,
	    .known = KNOWN_TERN,
	    .help = "leave the file when the instance is disabled or removed" },
	{ .type = OPT_END, .help = "protocol image" },
};

/* ---- checks ---- */

/* conf_is_temporary - true: a writer makes the next file of another image under the name
 * @filename (lib/fib/fib_file.c), and cuts off a file of that name. */
static bool
conf_is_temporary(const char *filename)
{
	size_t len = strlen(filename), end = strlen(FIB_NEW);

	return len >= end && !strcmp(filename + len - end, FIB_NEW);
}

static bool
conf_check_table(struct conf_ctx *c, const struct conf_proto *p)
{
	const struct image_conf *m = p->opt;

	if (!m->table)
		conf_error(c, p->pos, "protocol image needs a table");
	else if (!m->filename || !*m->filename)
		conf_error(c, p->pos, "protocol image needs a filename");
	else if (conf_is_temporary(m->filename))
		conf_error(c, p->pos,
		    "the filename of an image cannot end in " FIB_NEW
		    ": such a name belongs to the next file of an image");
	else if (conf_kind_is_rpki(m->table->kind))
		conf_error(c, p->pos,
		    "table '%s' holds no IPv4 or IPv6 routes, so no image of the table "
		    "exists",
		    m->table->name);
	else
		return true;
	return false;
}

/* conf_find_roa - the only ROA table of the family. Returns: false after an error. */
static bool
conf_find_roa(struct conf_ctx *c, const struct conf_proto *p)
{
	struct image_conf *m = p->opt;
	unsigned kind = m->table->kind == TABLE_IP6 ? TABLE_ROA6 : TABLE_ROA4, cnt = 0;

	for (unsigned i = 0; i < c->tables.cnt; i++) {
		const struct conf_table *t = c->tables.item[i];

		if (t->kind != kind)
			continue;
		m->roa = t;
		cnt++;
	}
	if (cnt == 1)
		return true;
	conf_error(c, p->pos, "the attribute rpki needs %s",
	    cnt ? "`roa table`: the configuration has several such tables"
		: "a ROA table of the family");
	return false;
}

static bool
conf_check_roa(struct conf_ctx *c, const struct conf_proto *p)
{
	struct image_conf *m = p->opt;

	if (!(m->fields & FIB_WITH_RPKI)) {
		if (!m->roa)
			return true;
		conf_error(
		    c, p->pos, "`roa table` has no effect without the attribute rpki");
		return false;
	}
	if (!m->roa)
		return conf_find_roa(c, p);
	if (m->roa->kind == (m->table->kind == TABLE_IP6 ? TABLE_ROA6 : TABLE_ROA4))
		return true;
	conf_error(c, p->pos, "table '%s' holds no ROAs of the family of table '%s'",
	    m->roa->name, m->table->name);
	return false;
}

static void
conf_channel_make(struct conf_ctx *c, struct conf_proto *p)
{
	const struct image_conf *m = p->opt;
	struct conf_channel *ch = arena_zalloc(conf_arena(c), sizeof(*ch));

	conf_opt_defaults(conf_channel_table, ch);
	ch->table = m->table;
	ch->kind = m->table->kind;
	ch->family = conf_kind_family(ch->kind);
	ch->name = ch->family == FAM_IP6 ? "ipv6" : "ipv4";
	ch->import = &filter_reject_all;
	ch->export = &filter_accept_all;
	ch->pos = p->pos;
	/* a copied instance brings the channel of the original */
	p->chan = ch;
	p->chan_cnt = 1;
}

static bool
image_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	struct image_conf *m = p->opt;

	conf_ext(c, p->pos, KNOWN_TERN, "protocol image");
	if (!m->attributes_given)
		m->next_hop = true;
	if (!conf_check_table(c, p) || !conf_check_roa(c, p))
		return false;
	conf_channel_make(c, p);
	return true;
}

static bool
image_conf_clashes(const struct conf_proto *a, const struct conf_proto *b)
{
	const struct image_conf *x = a->opt, *y = b->opt;

	return x->filename && y->filename && !strcmp(x->filename, y->filename);
}

static uint64_t
image_conf_peer_hash(const struct conf_proto *p)
{
	const struct image_conf *m = p->opt;
	const char *name = m->filename ? m->filename : "";

	return hash_bytes(0, name, strlen(name));
}

bool
image_conf_writes(const struct config *c, const char *filename)
{
	for (unsigned i = 0; i < c->proto_cnt; i++) {
		const struct conf_proto *p = c->proto[i];
		const struct image_conf *m = p->opt;

		if (p->class == &image_conf_class && !p->disabled &&
		    !strcmp(m->filename, filename))
			return true;
	}
	return false;
}

const struct conf_class image_conf_class = {
	.keyword = "image",
	.name = "Image",
	.kind = PROTO_IMAGE,
	.opt = options,
	.opt_size = sizeof(struct image_conf),
	.check = image_conf_check,
	.clash.between = image_conf_clashes,
	.clash.peer_hash = image_conf_peer_hash,
	.clash.about = "filename",
	.clash.means = "each protocol would replace the other protocol's image",
	.clash.ends = true,
};
