/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: a short text for the values behind an option's words. The parser and the manual
 * use the form. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_FORM_H
#define TERN_NEST_CONF_OPT_CONF_FORM_H

#include "nest/conf/opt/conf_opt.h"

/* conf_form_read - step over the values at @a, which must match @form. @sub: the table of
 * options for a BLOCK in the form. Returns: false after a message has named the expected
 * values. */
bool conf_form_read(const char *form, const struct conf_opt *sub, struct conf_args *a);

#endif
