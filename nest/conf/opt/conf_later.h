/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocols that BIRD has and tern doesn't have yet: their options are read and checked,
 * then the protocol is refused by name. */
#ifndef TERN_NEST_CONF_LATER_H
#define TERN_NEST_CONF_LATER_H

#include "nest/conf/opt/conf_opt.h"

/* conf_later_classes - all of them, ended by NULL. */
extern const struct conf_class *const conf_later_classes[];

/* conf_later_option - is @o an option that channels have whose types aren't supported
 * yet, beside those of every channel? Reads it; nothing is kept. */
bool conf_later_option(struct conf_ctx *c, struct ct_option *o);

#endif
