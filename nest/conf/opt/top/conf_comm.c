/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the options of communities: names of communities, and the communities that mark
 * filtered routes. Loop: the thread that parses. Tested by test/net/test_filtered.py. */
#include "nest/conf/opt/top/conf_comm.h"

#include "filter/lang/diag.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "nest/conf/file/comm_words.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_file.h"

#include <string.h>

#define FILE_MAX_OCTETS (16u << 20)

bool
conf_comm_file(struct conf_args *a, void *to)
{
	struct src_pos at = conf_arg_pos(a);
	struct config *cfg = to;
	const char *name, *path;
	struct strbuf text;
	int rc;

	if (!conf_arg_string(a, &name))
		return false;
	path = conf_file_path(a->ctx, at, name);
	strbuf_init(&text);
	rc = conf_file_read(a->ctx, &text, path, FILE_MAX_OCTETS);
	if (rc)
		conf_error(a->ctx, at, "can't read %s: %s", path, strerror(-rc));
	else
		cfg->comm.words = comm_words_parse(
		    a->ctx->arena, path, text.s, text.len, a->ctx->diag);
	strbuf_fini(&text);
	return true;
}

static bool
comm_add_set(const struct conf_args *a, struct comm_sets *s)
{
	const struct fvalue *v = conf_arg_value(a);

	if (!v || (v->type != T_SET_PAIR && v->type != T_SET_EC && v->type != T_SET_LC))
		return conf_arg_expected(
		    a, "a set of communities, such as [(65000,1101,*)]");
	if (s->cnt == COMM_SETS_MAX) {
		conf_error(a->ctx, conf_arg_pos(a), "more than %u sets of communities",
		    COMM_SETS_MAX);
		return false;
	}
	s->set[s->cnt++] = v->set;
	return true;
}

bool
conf_comm_filtered(struct conf_args *a, void *to)
{
	struct config *cfg = to;

	do {
		if (!comm_add_set(a, &cfg->comm.filtered))
			return false;
		a->at = a->at->next;
	} while (conf_arg_comma(a));
	return true;
}
