/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises options of BIRD 1 that have a new name or a new place. Loop: the thread
 * that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_OLD_H
#define TERN_NEST_CONF_OPT_CONF_OLD_H

#include "lib/base/check.h"

struct conf_class;
struct conf_ctx;
struct conf_opt;
struct ct_option;

/* conf_old_global - is the unknown @o an option of BIRD 1 at the top level? Reports the
 * new name. */
bool conf_old_global(struct conf_ctx *c, const struct ct_option *o);
/* conf_old_proto - is @o, unknown to @class, an option of channels (@all: of those of all
 * classes), or an option that @class had in BIRD 1? Says so. */
bool conf_old_proto(struct conf_ctx *c, const struct conf_class *class,
    const struct conf_opt *all, const struct ct_option *o);

#endif
