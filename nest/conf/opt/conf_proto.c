/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol instances, templates and channels.
 *
 * An instance begins with the class's defaults, or as a copy of its template; then the
 * parser applies the options in their order. At the end of the file conf_protos_finish
 * fills in all values that depend on top-level options. Tested by
 * test/unit/test_conf_golden.c and test/unit/test_conf_member.c.
 *
 * Loop: the thread that parses. */
#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/value/known.h"
#include "lib/mem/arena.h"
#include "lib/base/scan.h"
#include "lib/net/prefix.h"
#include "nest/conf/opt/conf_later.h"
#include "nest/conf/opt/conf_old.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/conf_part.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_vrf.h"
#include "nest/conf/config.h"
#include <stddef.h>
#include <stdio.h>

#define OFF(field)  offsetof(struct conf_proto, field)
#define COFF(field) offsetof(struct conf_channel, field)

static bool
proto_parse_id(struct conf_args *a, void *to)
{
	static const struct conf_opt id = { "router id", OPT_ID, .off = OFF(router_id) };

	((struct conf_proto *)to)->has_router_id = true;
	return conf_opt_value(&id, a, to);
}

static const struct conf_opt proto_options[] = {
	{ "disabled", OPT_SWITCH, .off = OFF(disabled), .change = CONF_CH_RESTART,
	    .help = "don't start the instance" },
	{ "revive after limit", OPT_SWITCH, .off = OFF(revive_after_limit), .def = 1,
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "configure starts a protocol that a limit has disabled" },
	{ "description", OPT_STRING, .off = OFF(description), .change = CONF_CH_INPLACE,
	    .help = "text for operators" },
	{ "debug", OPT_DEBUG, .off = OFF(debug), .def = UINT32_MAX,
	    .change = CONF_CH_INPLACE, .help = "events of this instance to log" },
	{ "router id", OPT_CUSTOM, .parse = proto_parse_id, .form = "ID",
	    .help = "our identifier in this instance" },
	{ NULL, OPT_FIELD, .off = OFF(router_id), .min = sizeof(uint32_t),
	    .change = CONF_CH_RESTART },
	{ "hostname", OPT_STRING, .off = OFF(hostname), .change = CONF_CH_INPLACE,
	    .help = "our name in this instance" },
	{ "restart time", OPT_TIME_NS, .off = OFF(restart_time_ns),
	    .change = CONF_CH_INPLACE, .known = KNOWN_BIRD_3,
	    .help = "least time between two starts" },
	{ "mrtdump", OPT_DEBUG, .off = OFF(mrtdump), .def = UINT32_MAX,
	    .names = conf_mrtdump_names, .change = CONF_CH_INPLACE,
	    .help = "events that go to the file of `mrtdump`" },
	{ "thread group", OPT_FORM, .form = "NAME", .state = OPT_WARN,
	    .known = KNOWN_BIRD_3, .help = "threads of this instance; see threads" },
	{ "vrf", OPT_CUSTOM, .form = "( TEXT | default )", .parse = conf_vrf_parse,
	    .help = "VRF of the interfaces of a BGP session, of static routes and of "
		    "direct" },
	{ NULL, OPT_STRING, .off = OFF(vrf), .help = "vrf", .change = CONF_CH_RESTART },
	{ .type = OPT_END, .help = "a protocol" },
};

static const struct conf_opt channel_options[] = {
	{ "table", OPT_TABLE, .off = COFF(table), .change = CONF_CH_RESTART,
	    .help = "table (default: master4, master6)" },
	{ "preference", OPT_U32, .off = COFF(preference), .max = 65535,
	    .change = CONF_CH_IMPORT,
	    .help = "preference of the routes that the channel imports" },
	{ "import", OPT_FILTER, .off = COFF(import), .change = CONF_CH_IMPORT,
	    .help = "filter for routes from the protocol into the table" },
	{ "export", OPT_FILTER, .off = COFF(export), .change = CONF_CH_EXPORT,
	    .help = "filter for routes from the table to the protocol" },
	{ "import limit", OPT_LIMIT, .off = COFF(limit.import), .change = CONF_CH_LIMIT,
	    .help = "how many routes may be accepted" },
	{ "receive limit", OPT_LIMIT, .off = COFF(limit.receive), .change = CONF_CH_LIMIT,
	    .help = "how many routes may be received" },
	{ "export limit", OPT_LIMIT, .off = COFF(limit.export), .change = CONF_CH_LIMIT,
	    .help = "how many routes may be sent" },
	{ "net limit", OPT_U32, .off = COFF(limit.net), .max = 65536,
	    .change = CONF_CH_LIMIT, .known = KNOWN_TERN,
	    .help = "how many paths of one network may be received; 0: any number" },
	{ "route limit", OPT_LIMIT, .off = COFF(limit.import), .known = KNOWN_BIRD_3,
	    .help = "old name of import limit" },
	{ "import keep filtered", OPT_SWITCH, .off = COFF(keep_filtered),
	    .change = CONF_CH_RESTART,
	    .help = "keep refused routes, for show route filtered" },
	{ "rejects", OPT_U32, .off = COFF(rejects), .def = 10000, .max = 10000000,
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "how many refused routes show route why knows" },
	{ "rpki reload", OPT_SWITCH, .off = COFF(rpki_reload), .def = 1,
	    .change = CONF_CH_INPLACE, .help = "filter again when ROAs or ASPAs change" },
	{ "debug", OPT_DEBUG, .off = COFF(debug), .def = UINT32_MAX,
	    .change = CONF_CH_INPLACE, .help = "events of this channel to log" },
	{ "description", OPT_STRING, .off = COFF(description), .change = CONF_CH_INPLACE,
	    .known = KNOWN_BIRD_3, .help = "text for operators" },
	{ "export in", OPT_CUSTOM, .parse = conf_part_export, .form = "PREFIX FILTER",
	    .known = KNOWN_BIRD_3, .help = "export, of a part of the addresses" },
	{ .type = OPT_END, .help = "a channel" },
};

const struct conf_opt *const conf_proto_table = proto_options;
const struct conf_opt *const conf_channel_table = channel_options;

/* Channel types by their words in a file, longer words first. */
static const struct channel_type {
	const char *words;
	uint8_t kind; /* enum conf_table_kind, if tern supports the type */
	bool supported;
} channel_types[] = {
	{ "ipv4 multicast", 0, false },
	{ "ipv4 mpls", 0, false },
	{ "ipv6 multicast", 0, false },
	{ "ipv6 mpls", 0, false },
	{ "ipv6 sadr", 0, false },
	{ "vpn4 multicast", 0, false },
	{ "vpn4 mpls", 0, false },
	{ "vpn6 multicast", 0, false },
	{ "vpn6 mpls", 0, false },
	{ "ipv4", TABLE_IP4, true },
	{ "ipv6", TABLE_IP6, true },
	{ "roa4", TABLE_ROA4, true },
	{ "roa6", TABLE_ROA6, true },
	{ "vpn4", 0, false },
	{ "vpn6", 0, false },
	{ "flow4", 0, false },
	{ "flow6", 0, false },
	{ "mpls", 0, false },
	{ "aspa", TABLE_ASPA, true },
	{ "evpn", 0, false },
	{ "eth", 0, false },
	{ "neighbors", 0, false },
};

static const struct conf_class unknown_class = { .keyword = "" };

/* The instance at hand. */
struct proto_parse {
	struct conf_proto *p;
	uint32_t given; /* 1 << kind: channels given in this block */
	bool known; /* tern knows the class, so the parser can check the options */
};

/* ---- copies ---- */

static void *
conf_proto_copy(struct conf_ctx *c, const void *from, size_t size)
{
	return size ? arena_memdup(c->arena, from, size) : NULL;
}

/* proto_copy - an instance or a template of @from. @pos: its place, which stands for a
 * channel without a block of its own in messages. */
static struct conf_proto *
proto_copy(struct conf_ctx *c, const struct conf_proto *from, struct src_pos pos)
{
	struct conf_proto *p = conf_proto_copy(c, from, sizeof(*from));
	struct conf_channel **at = &p->chan;
	const struct conf_channel *ch;

	p->opt = from->opt ? conf_proto_copy(c, from->opt, from->class->opt_size) : NULL;
	for (ch = from->chan; ch; ch = ch->next) {
		*at = conf_proto_copy(c, ch, sizeof(*ch));
		(*at)->opt = ch->opt
				 ? conf_proto_copy(c, ch->opt, from->class->channel_size)
				 : NULL;
		(*at)->pos = pos;
		at = &(*at)->next;
	}
	*at = NULL;
	return p;
}

static struct conf_proto *
proto_new(struct conf_ctx *c, const struct conf_class *class)
{
	struct conf_proto *p = arena_zalloc(c->arena, sizeof(*p));

	p->class = class;
	p->kind = class->kind;
	conf_opt_defaults(proto_options, p);
	if (class->opt_size) {
		p->opt = arena_zalloc(c->arena, class->opt_size);
		conf_opt_defaults(class->opt, p->opt);
	}
	return p;
}

/* ---- channels ---- */

static struct conf_channel *
proto_channel_new(struct conf_ctx *c, const struct conf_proto *p,
    const struct channel_type *type, struct src_pos pos)
{
	struct conf_channel *ch = arena_zalloc(c->arena, sizeof(*ch));

	ch->family = conf_kind_family(type->kind);
	ch->kind = type->kind;
	ch->is_rpki = conf_kind_is_rpki(type->kind);
	ch->name = type->words;
	ch->pos = pos;
	conf_opt_defaults(channel_options, ch);
	ch->preference = p->class->preference;
	if (p->class->channel_size) {
		ch->opt = arena_zalloc(c->arena, p->class->channel_size);
		conf_opt_defaults(p->class->channel_opt, ch->opt);
	}
	return ch;
}

/* proto_channel_get - the template's channel, or a new channel. */
static struct conf_channel *
proto_channel_get(struct conf_ctx *c, struct proto_parse *pp,
    const struct channel_type *type, struct src_pos pos)
{
	struct conf_proto *p = pp->p;
	struct conf_channel **at = &p->chan, *ch;

	for (; (ch = *at); at = &ch->next)
		if (ch->kind == type->kind) {
			ch->pos = pos;
			return ch;
		}
	*at = ch = proto_channel_new(c, p, type, pos);
	p->chan_cnt++;
	return ch;
}

static void
proto_channel_option(struct conf_ctx *c, struct conf_proto *p, struct conf_channel *ch,
    struct ct_option *o)
{
	const struct conf_opt *of_class = p->class->channel_opt;
	const struct conf_opt *known[] = { channel_options, of_class, NULL };
	char what[64];

	/* the class's own first: "import table" is more special than "import" */
	if (of_class && conf_opt_apply(c, of_class, o, ch->opt))
		return;
	if (conf_opt_apply(c, channel_options, o, ch))
		return;
	snprintf(what, sizeof(what), "the %s channel of %s", ch->name, p->class->keyword);
	conf_opt_unknown(c, o, what, known);
}

static const struct channel_type *
proto_find_channel_type(const struct ct_option *o)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(channel_types); i++)
		if (conf_opt_words(channel_types[i].words, o))
			return &channel_types[i];
	return NULL;
}

/* proto_channel_start - the channel to fill; for an unsupported type a temporary
 * channel. */
static struct conf_channel *
proto_channel_start(struct conf_ctx *c, struct proto_parse *pp, const struct ct_option *o,
    const struct channel_type *type)
{
	uint32_t bit = 1u << type->kind;

	if (!type->supported ||
	    (conf_kind_is_rpki(type->kind) && !pp->p->class->rpki_channels)) {
		if (!pp->p->class->unsupported)
			conf_error(c, o->pos, "channels of type %s are not supported yet",
			    type->words);
		return proto_channel_new(c, pp->p, type, o->pos);
	}
	if (pp->given & bit) {
		conf_error(c, o->pos, "a second %s channel", type->words);
		return proto_channel_new(c, pp->p, type, o->pos);
	}
	pp->given |= bit;
	return proto_channel_get(c, pp, type, o->pos);
}

/* ipv4 [name] [{ options }] */
static void
proto_channel_parse(struct conf_ctx *c, struct proto_parse *pp, struct ct_option *o,
    const struct channel_type *type)
{
	unsigned words = conf_opt_words(type->words, o);
	struct conf_args a = conf_args_of(c, o);
	struct conf_channel *ch = proto_channel_start(c, pp, o, type);
	struct ct_option *x;

	while (words--)
		a.at = a.at->next;
	if (conf_arg_peek(&a) == ARG_WORD)
		ch->name = arena_strdup(c->arena, conf_arg_next_word(&a));
	if (conf_arg_peek(&a) == ARG_BLOCK) {
		for (x = a.at->block->option; x; x = x->next)
			if (type->supported || !conf_later_option(c, x))
				proto_channel_option(c, pp->p, ch, x);
		a.at = a.at->next;
	}
	conf_arg_done(&a);
	conf_opt_end(c, o);
}

/* ---- instances ---- */

static void
proto_option(struct conf_ctx *c, struct proto_parse *pp, struct ct_option *o)
{
	const struct conf_class *class = pp->p->class;
	const struct conf_opt *known[] = { proto_options, class->opt, NULL };
	const struct channel_type *type;
	char what[64];

	if (class->opt && conf_opt_apply(c, class->opt, o, pp->p->opt))
		return;
	type = class->has_channels ? proto_find_channel_type(o) : NULL;
	if (type) {
		proto_channel_parse(c, pp, o, type);
		return;
	}
	if (conf_opt_apply(c, proto_options, o, pp->p))
		return;
	if (conf_old_proto(c, class, channel_options, o))
		return;
	snprintf(what, sizeof(what), "protocol %s", class->keyword);
	conf_opt_unknown(c, o, what, known);
}

static const struct conf_class *
proto_find_class(const struct conf_class *const *k, const char *word)
{
	while (*k && strcmp((*k)->keyword, word))
		k++;
	return *k;
}

/* conf_proto_class_of - the class of @word; &unknown_class after a message about an
 * unknown word. */
static const struct conf_class *
conf_proto_class_of(struct conf_ctx *c, struct src_pos pos, const char *word)
{
	const struct conf_class *class = proto_find_class(c->env->class, word);

	if (!class)
		class = proto_find_class(conf_later_classes, word);
	if (!class)
		class = proto_find_class(conf_named_classes, word);
	if (class)
		return class;
	diag_unknown(
	    c->diag, pos, "protocol", word, conf_later_near(c->env->class, word));
	return &unknown_class;
}

/* conf_proto_refuse - refuse an instance of a class that tern does not support yet; a
 * disabled instance gets only a warning. */
static void
conf_proto_refuse(struct conf_ctx *c, struct src_pos pos, const struct conf_proto *p)
{
	const char *word = p->class->keyword;

	if (p->disabled || c->place.skips_disabled)
		conf_warning(c, pos,
		    "protocol %s is not supported yet; the disabled protocol is left out",
		    word);
	else
		conf_error(c, pos, "protocol %s is not supported yet", word);
}

/* The instance to begin with: a copy of @from's, or the class's defaults. */
static struct conf_proto *
conf_proto_start(struct conf_ctx *c, const struct conf_class *class, const char *from,
    struct src_pos pos)
{
	struct sym *s = from ? sym_find(c->syms, from) : NULL;

	if (!from)
		return proto_new(c, class);
	if (!s || (s->class != SYM_TEMPLATE && s->class != SYM_PROTOCOL)) {
		diag_unknown(c->diag, pos, "template", from,
		    sym_near(
			c->syms, SYM_BIT(SYM_TEMPLATE) | SYM_BIT(SYM_PROTOCOL), from));
	} else if (s->proto && s->proto->class != class) {
		conf_error(c, pos, "template '%s' is for protocol %s, not %s", from,
		    s->proto->class->keyword, class->keyword);
	} else if (s->proto) {
		return proto_copy(c, s->proto, pos);
	}
	return proto_new(c, class);
}

static const char *
conf_proto_unnamed(struct conf_ctx *c, const char *class)
{
	unsigned n = 0;
	char buf[64];

	do
		snprintf(buf, sizeof(buf), "%.40s%u", class, ++n);
	while (sym_find(c->syms, buf));
	return arena_strdup(c->arena, buf);
}

static void
proto_only_one_device(struct conf_ctx *c, const struct conf_proto *p)
{
	unsigned i;

	for (i = 0; i < c->protos.cnt && p->kind == PROTO_DEVICE; i++) {
		const struct conf_proto *q = c->protos.item[i];

		if (q->kind == PROTO_DEVICE) {
			conf_error(c, p->pos, "a second protocol device");
			return;
		}
	}
}

void
conf_proto(struct conf_ctx *c, const struct proto_head *h, struct ct_block *b)
{
	const struct conf_class *class = conf_proto_class_of(c, h->pos, h->class_word);
	struct proto_parse pp = { .known = class != &unknown_class };
	struct src_pos name_pos = h->name ? h->name_pos : h->pos;
	const char *name = h->name ? h->name : conf_proto_unnamed(c, h->class_word);
	struct ct_option *o;
	struct sym *s;

	if (!h->name && h->is_template) {
		conf_error(c, h->pos, "a template needs a name");
		return;
	}
	pp.p = conf_proto_start(c, class, pp.known ? h->from : NULL, h->from_pos);
	pp.p->pos = name_pos;
	s = sym_define(
	    c->syms, name, h->is_template ? SYM_TEMPLATE : SYM_PROTOCOL, name_pos);
	if (!s) {
		s = sym_find(c->syms, name);
		conf_error(c, name_pos, "'%s' is defined already, as a %s", name,
		    sym_class_name(s->class));
		s = NULL;
	}
	pp.p->name = s ? s->name : arena_strdup(c->arena, name);
	for (o = b->option; o && pp.known; o = o->next)
		proto_option(c, &pp, o);
	if (s)
		s->proto = pp.p;
	if (!pp.known || h->is_template)
		return;
	if (class->unsupported) {
		conf_proto_refuse(c, h->pos, pp.p);
		return;
	}
	proto_only_one_device(c, pp.p);
	conf_channels_finish(c, pp.p);
	/* what the instance lacks may be an option with an error */
	if (c->diag->error_cnt == c->entry_errors && class->check)
		class->check(c, pp.p);
	conf_channels_default(pp.p);
	pp.p->index = c->protos.cnt;
	conf_list_add(&c->protos, pp.p);
}

/* ---- completing ---- */

/* proto_first_table - the first table of @kind; NULL: no such table. */
static const struct conf_table *
proto_first_table(const struct conf_ctx *c, unsigned kind)
{
	unsigned i;

	for (i = 0; i < c->tables.cnt; i++) {
		const struct conf_table *t = c->tables.item[i];

		if (t->kind == kind)
			return t;
	}
	return NULL;
}

/* Tables: by default the first of the kind. */
void
conf_channels_finish(struct conf_ctx *c, struct conf_proto *p)
{
	struct conf_channel *ch;

	for (ch = p->chan; ch; ch = ch->next) {
		if (!ch->table)
			ch->table = proto_first_table(c, ch->kind);
		if (!ch->table)
			conf_error(c, ch->pos, "no table holds %s routes", ch->name);
		else if (ch->table->kind != ch->kind)
			conf_error(c, ch->pos, "table '%s' doesn't hold %s routes",
			    ch->table->name, ch->name);
	}
}

/* conf_channels_default - set missing policies, after the class's check (RFC 8212). */
void
conf_channels_default(struct conf_proto *p)
{
	for (struct conf_channel *ch = p->chan; ch; ch = ch->next) {
		if (!ch->import)
			ch->import = &filter_accept_all;
		if (!ch->export)
			ch->export = &filter_reject_all;
	}
}

/* proto_note_monitored - mark the channels whose routes @m wants before policy, as sent,
 * or before export policy. */
static void
proto_note_monitored(struct conf_ctx *c, const struct conf_proto *m)
{
	const struct conf_class *cls = m->class;
	const char *in = cls->monitors.in ? cls->monitors.in(m) : NULL;
	const char *out = cls->monitors.out ? cls->monitors.out(m) : NULL;
	const char *offer = cls->monitors.offer ? cls->monitors.offer(m) : NULL;

	for (unsigned i = 0; (in || out || offer) && i < c->protos.cnt; i++) {
		struct conf_proto *p = c->protos.item[i];
		struct conf_channel *ch = p->kind == PROTO_BGP ? p->chan : NULL;

		for (; ch; ch = ch->next) {
			ch->monitored.in |= in && scan_glob(in, p->name);
			ch->monitored.out |= out && scan_glob(out, p->name);
			ch->monitored.offer |= offer && scan_glob(offer, p->name);
		}
	}
}

/* conf_proto_leading - mark tables whose routes lookups of next hops may use. A pipe
 * passes the mark on. Returns: did a table get a mark? */
static bool
conf_proto_leading(struct conf_ctx *c)
{
	bool news = false;

	for (unsigned i = 0; i < c->protos.cnt; i++) {
		const struct conf_proto *p = c->protos.item[i];

		for (const struct conf_channel *ch = p->chan; ch; ch = ch->next) {
			struct conf_table *t = (struct conf_table *)(uintptr_t)ch->table;

			if (p->disabled || t->leads || !p->class->leads ||
			    !p->class->leads(p, ch))
				continue;
			t->leads = true;
			news = true;
		}
	}
	return news;
}

void
conf_protos_finish(struct conf_ctx *c)
{
	unsigned i;

	conf_clashes_warn(c);
	while (conf_proto_leading(c))
		;
	for (i = 0; i < c->tables.cnt; i++) {
		struct conf_table *t = c->tables.item[i];

		if (t->debug == UINT32_MAX)
			t->debug = c->cfg->debug.tables;
	}
	for (i = 0; i < c->protos.cnt; i++) {
		struct conf_proto *p = c->protos.item[i];
		struct conf_channel *ch;

		proto_note_monitored(c, p);
		if (!p->has_router_id)
			p->router_id = c->cfg->router_id;
		if (!p->hostname)
			p->hostname = c->cfg->hostname;
		if (p->debug == UINT32_MAX)
			p->debug = c->cfg->debug.protocols;
		if (p->mrtdump == UINT32_MAX)
			p->mrtdump = c->cfg->mrtdump.protocols;
		for (ch = p->chan; ch; ch = ch->next)
			if (ch->debug == UINT32_MAX)
				ch->debug = c->cfg->debug.channels;
	}
}
