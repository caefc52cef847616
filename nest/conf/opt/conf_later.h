/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocols of BIRD that tern does not have yet: the parser reads and checks their
 * options, then refuses the protocol by name. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_LATER_H
#define TERN_NEST_CONF_OPT_CONF_LATER_H

#include "nest/conf/opt/conf_opt.h"

/* conf_later_classes - all such classes, ended by NULL. */
extern const struct conf_class *const conf_later_classes[];
/* conf_named_classes - protocols of BIRD whose options tern does not know; the lexer
 * leaves out their blocks. Ended by NULL. */
extern const struct conf_class *const conf_named_classes[];
/* conf_later_near - the protocol that the misspelt @word may mean: of @classes or of
 * conf_later_classes. Returns: NULL: no protocol is near. */
const char *conf_later_near(const struct conf_class *const *classes, const char *word);

/* conf_later_option - is @o an option of a channel type that tern does not support yet?
 * Reads the option and stores nothing. */
bool conf_later_option(struct conf_ctx *c, struct ct_option *o);

#endif
