/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills blocks of the page of counters (lib/wire/counters.h) from published state. No
 * state. Loop: the session's, under RCU. */
#ifndef TERN_NEST_CLI_SHOW_COUNTERS_COUNTERS_H
#define TERN_NEST_CLI_SHOW_COUNTERS_COUNTERS_H

#include "lib/mt/count_page.h"
#include "lib/wire/counters.h"
#include "nest/core/tern.h"

struct channel;
struct member_row;
struct memory_row;
struct proto;

/* The block under construction. Owner: the caller, on the stack. */
struct counters_block {
	struct count_copy c;
	uint32_t text, value; /* first rows of the kind in the tables */
};

/* counters_begin - a block of @kind without texts, with all values COUNT_NONE. Texts
 * follow in the order of the table; values in any order. */
void counters_begin(struct counters_block *b, enum counters_kind kind, const char *name);
void counters_add_text(struct counters_block *b, const char *s);
void counters_set(struct counters_block *b, enum counters_value which, uint64_t v);

/* counters_status, counters_tables, counters_threads, counters_memory - put the blocks of
 * the daemon. @host: its name. @row: of memory_list. */
void counters_status(struct count_page *p, const struct tern *t,
    const struct tern_view *v, const char *host);
void counters_tables(struct count_page *p, const struct tern_view *v);
void counters_threads(struct count_page *p);
void counters_memory(struct count_page *p, const struct memory_row *row, unsigned cnt);
/* counters_health - put the problems and the totals of `show health`. @conf_bad_len:
 * octets of a failed `configure` that the reader may see. */
void counters_health(struct count_page *p, const struct tern *t,
    const struct tern_view *v, unsigned conf_bad_len);
/* counters_proto - put the block of @p, and those of its channels. */
void counters_proto(struct count_page *page, const struct proto *p);
/* counters_member - put the block of the member @r. */
void counters_member(struct count_page *page, const struct member_row *r);

#endif
