/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares an instance in two configurations: finds the changed options and the cost of
 * each change.
 *
 * Keeps no state; any thread, while both configurations live. Tested by
 * test/unit/test_config.c and test/net/test_options.py. */
#include "lib/net/prefix.h"
#include "nest/conf/conf_overlay.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

static uint32_t
conf_diff_report(const struct conf_changes *to, const struct conf_channel *ch,
    const char *what, uint32_t change)
{
	if (change && to)
		to->fn(to->arg, ch, what, change);
	return change;
}

/* conf_diff_options - compare all rows. A row without words is a further field of the
 * option before, or names its option in `help`. */
static uint32_t
conf_diff_options(const struct conf_opt *table, const void *a, const void *b,
    const struct conf_channel *ch, const struct conf_changes *to)
{
	const char *words = "options";
	uint32_t all = 0;

	for (; table->type != OPT_END; table++) {
		const char *help = table->words ? NULL : table->help;

		if (table->words)
			words = table->words;
		if (table->change && !conf_opt_same(table, a, b))
			all |= conf_diff_report(
			    to, ch, help ? help : words, table->change);
	}
	return all;
}

static bool
diff_same_part(const struct conf_channel *a, const struct conf_channel *b)
{
	return a->has_export_in == b->has_export_in &&
	       (!a->has_export_in || prefix_equal(&a->export_in, &b->export_in));
}

static uint32_t
diff_channel_changes(const struct conf_proto *old_p, const struct conf_channel *old_c,
    const struct conf_channel *new_c, const struct conf_changes *to)
{
	uint32_t change = conf_diff_options(conf_channel_table, old_c, new_c, new_c, to);

	if (strcmp(old_c->name, new_c->name))
		change |= conf_diff_report(to, new_c, "name", CONF_CH_RESTART);
	if (!conf_overlay_same(old_c, new_c))
		change |= conf_diff_report(to, new_c, "source of the table",
		    conf_table_base(new_c->table) ? CONF_CH_RESTART : CONF_CH_INPLACE);
	if (old_c->monitored.in != new_c->monitored.in)
		change |= conf_diff_report(
		    to, new_c, "monitoring rib in pre_policy", CONF_CH_INPLACE);
	if (old_c->monitored.out != new_c->monitored.out)
		change |= conf_diff_report(
		    to, new_c, "monitoring rib out post_policy", CONF_CH_INPLACE);
	if (old_c->monitored.offer != new_c->monitored.offer)
		change |= conf_diff_report(
		    to, new_c, "monitoring rib out pre_policy", CONF_CH_INPLACE);
	if (!diff_same_part(old_c, new_c))
		change |= conf_diff_report(to, new_c, "export in", CONF_CH_EXPORT);
	if (old_c->opt && new_c->opt)
		change |= conf_diff_options(
		    old_p->class->channel_opt, old_c->opt, new_c->opt, new_c, to);
	return change;
}

/* diff_ext_changes - of the instance's own options. */
static uint32_t
diff_ext_changes(const struct conf_proto *old_p, const struct conf_proto *new_p,
    const struct conf_changes *to)
{
	uint32_t change = conf_diff_options(conf_proto_table, old_p, new_p, NULL, to);

	if (old_p->opt)
		change |= conf_diff_options(
		    old_p->class->opt, old_p->opt, new_p->opt, NULL, to);
	return change;
}

uint32_t
conf_channel_diff(const struct conf_proto *old_p, const struct conf_channel *old_c,
    const struct conf_proto *new_p, const struct conf_channel *new_c)
{
	uint32_t changed = diff_ext_changes(old_p, new_p, NULL);

	return diff_channel_changes(old_p, old_c, new_c, NULL) |
	       (changed & (CONF_CH_IMPORT | CONF_CH_EXPORT));
}

uint32_t
conf_proto_changes(const struct conf_proto *old_p, const struct conf_proto *new_p,
    const struct conf_changes *to)
{
	const struct conf_channel *o, *n;
	uint32_t change;

	if (old_p->class != new_p->class)
		return conf_diff_report(to, NULL, "kind", CONF_CH_RESTART);
	if (old_p->chan_cnt != new_p->chan_cnt)
		return conf_diff_report(to, NULL, "channels", CONF_CH_RESTART);
	change = diff_ext_changes(old_p, new_p, to);
	if (old_p->class->diff)
		change |= conf_diff_report(
		    to, NULL, "routes", old_p->class->diff(old_p, new_p));
	for (o = old_p->chan; o; o = o->next) {
		n = conf_channel_like(new_p, o);
		change |= n ? diff_channel_changes(old_p, o, n, to)
			    : conf_diff_report(to, NULL, "channels", CONF_CH_RESTART);
	}
	return change;
}

void
conf_table_changes(const struct conf_table *old_t, const struct conf_table *new_t,
    const struct conf_changes *to)
{
	conf_diff_options(conf_table_table, old_t, new_t, NULL, to);
}

uint32_t
conf_proto_diff(const struct conf_proto *old_p, const struct conf_proto *new_p)
{
	return conf_proto_changes(old_p, new_p, NULL);
}
