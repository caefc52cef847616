/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communities of a route in words (`communities file`, well-known communities). In the
 * session's loop. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_WORDS_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_WORDS_H

struct comm_words;
struct reply;
struct wire_set;

/* cmd_words_reply - JSON: member `community_texts`; nothing if no community of @wire has
 * a text. Text: a line for each community of @wire with a text, except the communities
 * in @said: communities in the form of comm_print_one, whose texts the reply already has.
 */
void cmd_words_reply(struct reply *r, const struct comm_words *w,
    const struct wire_set *wire, const char *said);

#endif
