/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands read: names, prefixes, numbers. Each steps over what it has read;
 * or it ends the reply, with what is wrong, and returns false. */
#ifndef TERN_NEST_CMD_PARSE_H
#define TERN_NEST_CMD_PARSE_H

#include "lib/net/prefix.h"
#include "nest/cli/cli_session.h"
#include "nest/conf/conf_opt.h"

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
 * @before: what else could stand here, "" or "X or ". */
bool cmd_parse_mask(struct cli_session *s, struct cli_scan *sc,
    const struct opt_name *names, const char *before, uint32_t *out);

#endif
