/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol kernel`.
 *
 * Two instances with the same kernel table would remove each other's routes, so such a
 * configuration is an error. Tested by test/unit/test_conf_golden.c.
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. */
#include "proto/kernel/kernel_conf.h"

#include "filter/filter.h"
#include "lib/base/strbuf.h"
#include "nest/conf/config.h"
#include "sysdep/os/priv.h"

#include <linux/rtnetlink.h>
#include <stddef.h>

#define OFF(field)    offsetof(struct kernel_conf, field)
#define MERGE_DEFAULT 16

static const struct opt_name learn_names[] = {
	{ "on", KRT_LEARN_ALIEN },
	{ "yes", KRT_LEARN_ALIEN },
	{ "all", KRT_LEARN_ALL },
	{ "off", KRT_LEARN_OFF },
	{ "no", KRT_LEARN_OFF },
	{ NULL, 0 },
};

/* merge paths [SWITCH] [limit NUMBER] */
static bool
conf_parse_merge(struct conf_args *a, void *to)
{
	struct conf_args ahead = *a;
	uint32_t limit = MERGE_DEFAULT;
	bool on = true;

	if (conf_arg_peek(a) != ARG_END && !conf_arg_word(&ahead, "limit") &&
	    !conf_arg_switch(a, &on))
		return false;
	if (conf_arg_word(a, "limit") && !conf_arg_u32(a, &limit, 1, 255))
		return false;
	((struct kernel_conf *)to)->merge = on ? limit : 0;
	return true;
}

static const struct conf_opt options[] = {
	{ "persist", OPT_SWITCH, .off = OFF(persist), .change = CONF_CH_INPLACE,
	    .help = "leave our routes in the system at the end" },
	{ "scan time", OPT_TIME_S, .off = OFF(scan_s), .def = 60, .max = 86400,
	    .bounded = true, .change = CONF_CH_INPLACE,
	    .help = "how often the system's routes are compared with ours; 0: only at "
		    "the start" },
	{ "learn", OPT_ENUM, .off = OFF(learn), .names = learn_names,
	    .change = CONF_CH_RESTART,
	    .help = "`on` takes routes of the kernel's table that other programs "
		    "wrote; `all` takes also the routes that the kernel made" },
	{ "kernel table", OPT_U32, .off = OFF(table), .min = 1, .max = UINT32_MAX,
	    .def = RT_TABLE_MAIN, .change = CONF_CH_RESTART,
	    .help = "table of the system" },
	{ "metric", OPT_U32, .off = OFF(metric), .max = UINT32_MAX, .def = 32,
	    .change = CONF_CH_RESTART,
	    .help = "metric of our routes in the system; 0: krt_metric of each" },
	{ "graceful restart", OPT_SWITCH, .off = OFF(graceful), .change = CONF_CH_INPLACE,
	    .help = "after a start with -R the system's routes stay unchanged until "
		    "recovery is over" },
	{ "merge paths", OPT_CUSTOM, .form = "[SWITCH] [limit NUMBER]",
	    .parse = conf_parse_merge,
	    .help = "routes that are as good as the best route give the best route their "
		    "next hops; limit: 16" },
	{ NULL, OPT_FIELD, .off = OFF(merge), .min = sizeof(uint32_t),
	    .help = "merge paths", .change = CONF_CH_RESTART },
	{ "netlink rx buffer", OPT_U32, .off = OFF(rx_buffer), .max = UINT32_MAX,
	    .change = CONF_CH_RESTART,
	    .help = "size of the buffer for the kernel's messages; 0: large enough" },
	{ .type = OPT_END },
};

static bool
kernel_conf_clashes(const struct conf_proto *a, const struct conf_proto *b)
{
	const struct kernel_conf *x = a->opt, *y = b->opt;

	return a->chan && b->chan && a->chan->family == b->chan->family &&
	       x->table == y->table;
}

static uint64_t
kernel_conf_peer_hash(const struct conf_proto *p)
{
	const struct kernel_conf *k = p->opt;

	return k->table;
}

static bool
kernel_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	if (p->chan_cnt > 1) {
		conf_error(c, p->pos,
		    "a kernel protocol has one channel: an instance for "
		    "each family");
		return false;
	}
	return true;
}

static bool
kernel_conf_leads(const struct conf_proto *p, const struct conf_channel *ch)
{
	(void)ch;
	return ((const struct kernel_conf *)p->opt)->learn != KRT_LEARN_OFF;
}

static void
kernel_conf_lacks(const struct conf_proto *p, struct strbuf *out)
{
	enum filter_verdict v;

	for (const struct conf_channel *ch = p->chan; ch; ch = ch->next)
		if ((!filter_is_const(ch->export, &v) || v == FILTER_ACCEPT) &&
		    priv_lacks_net_admin()) {
			strbuf_adds(out, "not permitted to change the kernel's routes "
					 "(CAP_NET_ADMIN)");
			return;
		}
}

const struct conf_class kernel_conf_class = {
	.keyword = "kernel",
	.name = "Kernel",
	.kind = PROTO_KERNEL,
	.preference = 10,
	.has_channels = true,
	.opt = options,
	.leads = kernel_conf_leads,
	.opt_size = sizeof(struct kernel_conf),
	.check = kernel_conf_check,
	.lacks = kernel_conf_lacks,
	.clash.between = kernel_conf_clashes,
	.clash.peer_hash = kernel_conf_peer_hash,
	.clash.about = "kernel table",
	.clash.means = "each protocol would remove the other protocol's routes",
	.clash.ends = true,
};
