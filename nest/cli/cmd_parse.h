/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands read: names, prefixes, numbers. Each steps over what it has read;
 * or it ends the reply, with what is wrong, and returns false. */
#ifndef TERN_NEST_CMD_PARSE_H
#define TERN_NEST_CMD_PARSE_H

#include "lib/net/prefix.h"
#include "nest/cli/cli_session.h"
#include "nest/conf/opt/conf_opt.h"

/* cmd_parse_symbol - a name of class @cls: copied to *@out (MEM_OTHER).
 * @wrong: what to say if it is of another class. */
bool cmd_parse_symbol(struct cli_session *s, struct cli_scan *sc, unsigned cls,
    const char *wrong, const char *expecting, char **out);
/* cmd_parse_prefix - @bare: an address alone is fine (a host). */
bool cmd_parse_prefix(
    struct cli_session *s, struct cli_scan *sc, bool bare, struct prefix *out);
/* cmd_parse_number - @min to @max. */
bool cmd_parse_number(struct cli_session *s, struct cli_scan *sc, uint32_t min,
    uint32_t max, uint32_t *out);
/* cmd_parse_mask - all|off|{ WORD, ... }, the words being @names: their values into @out.
 * @before: what else could stand here, "" or "X, ". */
bool cmd_parse_mask(struct cli_session *s, struct cli_scan *sc,
    const struct opt_name *names, const char *before, uint32_t *out);
/* cmd_no_such - end the reply: no @what (in words) has the name @name. The reply names
 * the symbol of @classes, a mask of SYM_BIT, that is nearest. */
void cmd_no_such(
    struct cli_session *s, uint32_t classes, const char *what, const char *name);
/* cmd_no_option - end the reply: the present token is no @what. @known: the words that
 * could stand here; ends with NULL. */
void cmd_no_option(struct cli_session *s, const struct cli_scan *sc, const char *what,
    const char *const *known);
/* cmd_no_channel - end the reply: @proto has no channel @name. */
void cmd_no_channel(struct cli_session *s, const char *proto, const char *name);

#endif
