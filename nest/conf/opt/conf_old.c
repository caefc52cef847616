/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses options that only BIRD 1 knows, with an error that names the present option
 * (conf_old.h). Loop: the thread that parses. Tested by test/conf/bird1.conf. */
#include "nest/conf/opt/conf_old.h"

#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/conf_tree.h"

#include <string.h>

bool
conf_old_global(struct conf_ctx *c, const struct ct_option *o)
{
	static const struct {
		const char *words, *now;
	} old[] = {
		{ "table", "ipv4 table NAME or ipv6 table NAME" },
		{ "roa table", "roa4 table NAME or roa6 table NAME" },
		{ "listen bgp", "local ADDRESS port NUMBER in protocol bgp" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(old); i++)
		if (conf_opt_words(old[i].words, o)) {
			conf_error(c, o->pos, "'%s' is an option of BIRD 1; now: %s",
			    old[i].words, old[i].now);
			return true;
		}
	return false;
}

/* old_channel_words - the words of @o as an option of channels; NULL: channels have no
 * such option. */
static const char *
old_channel_words(
    const struct conf_class *class, const struct conf_opt *all, const struct ct_option *o)
{
	const struct conf_opt *const tables[] = { all, class->channel_opt };

	for (unsigned i = 0; class->has_channels && i < ARRAY_LEN(tables); i++)
		for (const struct conf_opt *t = tables[i]; t && t->type != OPT_END; t++)
			if (t->words && conf_opt_words(t->words, o))
				return t->words;
	return NULL;
}

/* old_proto_report - is @o an option that @class had in BIRD 1? Reports the replacement.
 */
static bool
old_proto_report(
    struct conf_ctx *c, const struct conf_class *class, const struct ct_option *o)
{
	static const struct {
		const char *class, *words, *now;
	} old[] = {
		{ "pipe", "mode", "the policies import and export decide" },
		{ "kernel", "device routes", "protocol direct" },
		{ "device", "primary", "interface \"NAME\" { preferred ADDRESS; }" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(old); i++)
		if (!strcmp(old[i].class, class->keyword) &&
		    conf_opt_words(old[i].words, o)) {
			conf_error(c, o->pos, "'%s' is an option of BIRD 1; now: %s",
			    old[i].words, old[i].now);
			return true;
		}
	return false;
}

bool
conf_old_proto(struct conf_ctx *c, const struct conf_class *class,
    const struct conf_opt *all, const struct ct_option *o)
{
	const char *words = old_channel_words(class, all, o);

	if (old_proto_report(c, class, o))
		return true;
	if (words)
		conf_error(c, o->pos,
		    "'%s' is an option of channels, and stands in a channel since BIRD "
		    "2: ipv4 { %s ...; };",
		    words, words);
	return words != NULL;
}
