/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communities of a route in words (`communities file`). In the session's loop. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_WORDS_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_WORDS_H

#include "lib/wire/cli_code.h"

struct cli_session;
struct comm_words;
struct json;
struct wire_set;

/* cmd_words_json - put member `community_texts` into the open object; nothing if no
 * community of @wire has a text. */
void cmd_words_json(
    struct json *j, const struct comm_words *w, const struct wire_set *wire);
/* cmd_words_say - print a line for each community of @wire with a text, except the
 * communities in @said: communities in the form of comm_print_one, whose texts the reply
 * already has. */
void cmd_words_say(struct cli_session *s, enum cli_code code, const struct comm_words *w,
    const struct wire_set *wire, const char *said);

#endif
