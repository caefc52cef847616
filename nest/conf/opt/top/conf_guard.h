/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards on input and on results: `guard { set "AS*" { empty refuse; shrink 30 %; older
 * 48 h warn; }; rpki shrink 30 %; lost routes 5 %; closed sessions 3; }`. The control
 * worker compares sets (nest/daemon/control_guard.c) and looks at a preview
 * (nest/daemon/control_result.c); each protocol rpki compares its own records.
 *
 * Loop: the thread that parses; conf_guard_of in any thread. */
#ifndef TERN_NEST_CONF_OPT_TOP_CONF_GUARD_H
#define TERN_NEST_CONF_OPT_TOP_CONF_GUARD_H

#include "filter/lang/sym.h"
#include "filter/value/type.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

#include <string.h>

/* conf_guard_parse - the option `guard`. */
bool conf_guard_parse(struct conf_args *a, void *to);
/* conf_guard_files - look at the files of sets with the guard `older`. Waits for a
 * disk. */
void conf_guard_files(struct conf_ctx *c);
/* conf_guard_file_is - is @s a constant of the file @f? @f: NULL: no. Sets have the order
 * of the files in conf_guard.file, and a set of another file than the set before has the
 * next entry. A set of prefixes with origins has an entry of its own. */
static inline bool
conf_guard_file_is(const struct conf_guard_file *f, const struct sym *s)
{
	if (!f || s->value.type == T_SET_ORIGIN || f->origins)
		return f && s->value.type == T_SET_ORIGIN && f->origins == s->value.set;
	return !strcmp(f->name, s->pos.file);
}

/* conf_guard_of - the guard of the constant @s; NULL: @s is no set, or has no guard. Any
 * thread. */
const struct conf_guard_set *conf_guard_of(
    const struct config *conf, const struct sym *s);

#endif
