/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments of several commands: names, prefixes, numbers. Each function steps over the
 * argument; or it ends the reply with an error, and returns false. Loop: the
 * session's. */
#ifndef TERN_NEST_CLI_CMD_PARSE_H
#define TERN_NEST_CLI_CMD_PARSE_H

#include "lib/net/prefix.h"
#include "nest/cli/cli_session.h"
#include "nest/conf/opt/conf_opt.h"

/* cmd_parse_symbol - a name of class @cls: copied to *@out (MEM_OTHER). @wrong: the error
 * for a name of another class. */
bool cmd_parse_symbol(struct cli_session *s, struct cli_scan *sc, unsigned cls,
    const char *wrong, const char *expecting, char **out);
/* cmd_parse_prefix - @alone: accept an address alone (a host). */
bool cmd_parse_prefix(
    struct cli_session *s, struct cli_scan *sc, bool alone, struct prefix *out);
/* cmd_parse_number - @min to @max. */
bool cmd_parse_number(struct cli_session *s, struct cli_scan *sc, uint32_t min,
    uint32_t max, uint32_t *out);
/* cmd_parse_mask - all|off|{ WORD, ... }, with words of @names: set *@out to their
 * values. @before: further allowed words, "" or "X, ". */
bool cmd_parse_mask(struct cli_session *s, struct cli_scan *sc,
    const struct opt_name *names, const char *before, uint32_t *out);
/* cmd_no_such - end the reply: no @what (in words) has the name @name. The reply suggests
 * the nearest symbol of @classes, a mask of SYM_BIT. */
void cmd_no_such(
    struct cli_session *s, uint32_t classes, const char *what, const char *name);
/* cmd_no_option - end the reply: the present token is no @what. @known: the allowed
 * words; ends with NULL. */
void cmd_no_option(struct cli_session *s, const struct cli_scan *sc, const char *what,
    const char *const *known);
/* cmd_no_channel - end the reply: @proto has no channel @name. */
void cmd_no_channel(struct cli_session *s, const char *proto, const char *name);

#endif
