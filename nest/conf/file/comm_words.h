/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for communities, from a file of the configuration (`communities file "..."`), and
 * sets of communities (`filtered communities [...]`).
 *
 * A line of the file has an entry: a community, a tab, a text. The words of a community
 * are numbers or `*`, with `:` or `,` between the words. Empty lines and lines that begin
 * with `#` have no entry.
 *
 * Immutable; any thread. Owner: the configuration. Lives: in the configuration's arena,
 * until config_free. A struct comm_of belongs to its caller, by value. */
#ifndef TERN_NEST_CONF_FILE_COMM_WORDS_H
#define TERN_NEST_CONF_FILE_COMM_WORDS_H

#include "filter/set/set.h"
#include "lib/attr/attr.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

struct diag;

#define COMM_KINDS (COMM_LARGE + 1)

/* A community of a route. */
struct comm_of {
	enum comm_kind kind;
	struct comm comm;
};

/* ---- words ---- */

struct comm_words;

/* comm_words_parse - read the entries of @text, the content of the file @path, into @a.
 * Errors go to @d, with file, line and column. Returns: NULL after an error. */
struct comm_words *comm_words_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d);
/* comm_words_find - append the text of the entry for @c to @out; $0, $1 and $2 in the
 * text of an entry with `*` stand for the words of the community. An entry without `*`
 * precedes all entries with `*`, which have the order of the file, and an entry precedes
 * the text of a well-known community (RFC 1997, 7999, 8326, 9494 ...). @w: NULL: no file.
 * Returns: false: no entry fits, and @c is not well known. */
bool comm_words_find(const struct comm_words *w, struct comm_of c, struct strbuf *out);
/* comm_words_next - the next community of @wire with a text, from *@pos on, 0 at the
 * start; its text in @out. Returns: false: no further community. */
bool comm_words_next(const struct comm_words *w, const struct wire_set *wire,
    uint32_t *pos, struct comm_of *c, struct strbuf *out);
/* comm_words_added - append the texts for @comms to @out, with "; " between the texts.
 * @comms is a list in the form of comm_print_one ("(1,2) (1, 2, 3)"). */
void comm_words_added(const struct comm_words *w, const char *comms, struct strbuf *out);

/* ---- sets ---- */

#define COMM_SETS_MAX 16

/* Sets of communities. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct comm_sets {
	const struct fset *set[COMM_SETS_MAX];
	unsigned cnt;
};

/* comm_sets_has - the first community of @wire in any of the sets. Returns: false: no
 * such community. */
bool comm_sets_has(
    const struct comm_sets *s, const struct wire_set *wire, struct comm_of *c);

#endif
