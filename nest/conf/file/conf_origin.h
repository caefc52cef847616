/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads `origin set` as a value of the filter language: from a file, or from a literal.
 *
 * A line of a file has an entry: a prefix, maybe with `+` or `{lo,hi}`, blanks, and the
 * number of the AS, maybe with `AS` before. A `#` begins a comment. A literal has the
 * entries in brackets: [ 192.0.2.0/24{24,28} as 64500, ... ].
 *
 * Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_FILE_CONF_ORIGIN_H
#define TERN_NEST_CONF_FILE_CONF_ORIGIN_H

#include "filter/lang/diag.h"
#include "filter/value/fvalue.h"
#include "nest/conf/conf_parse.h"

struct origin_lit;
struct set_elem;

/* conf_origin_file - the set of the file @name, a text of the configuration at @at.
 * @pos: the value. Errors go to the parser's messages; the value is then an empty set. */
struct fvalue conf_origin_file(
    struct conf_ctx *c, struct src_pos pos, struct src_pos at, const char *name);
/* conf_origin_word - check that @word, between prefix and number, is `as`. Returns: false
 * after an error. */
bool conf_origin_word(struct conf_ctx *c, struct src_pos at, const char *word);
/* conf_origin_add - add an entry to @l (NULL: the first entry). @ok: false: an error was
 * reported, and @l stays. */
struct origin_lit *conf_origin_add(struct conf_ctx *c, struct origin_lit *l,
    struct src_pos pos, const struct set_elem *prefix, bool ok, uint32_t asn);
/* conf_origin_value - the set of the entries of @l (NULL: no entry). */
struct fvalue conf_origin_value(
    struct conf_ctx *c, struct src_pos pos, struct origin_lit *l);

#endif
