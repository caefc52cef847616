/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: what may stand behind an option's words, as a short text that both the parser
 * and the manual use. */
#ifndef TERN_NEST_CONF_FORM_H
#define TERN_NEST_CONF_FORM_H

#include "nest/conf/opt/conf_opt.h"

/* conf_form_read - step over what stands at @a, which must look like @form. @sub: the
 * table of options for a BLOCK in it. Returns: false after it has said what was expected.
 */
bool conf_form_read(struct conf_ctx *c, const char *form, const struct conf_opt *sub,
    struct conf_args *a);

#endif
