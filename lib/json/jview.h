/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views of values in one JSON document: reading without a copy and without an
 * allocation. Pure functions.
 *
 * The daemon writes the documents, so a view does not check the whole grammar. A view
 * never leaves the text that it was made of, whatever the text holds: a malformed
 * document gives absent values. */
#ifndef TERN_LIB_JSON_JVIEW_H
#define TERN_LIB_JSON_JVIEW_H

#include "lib/base/strbuf.h"

/* The text of one value. Owner: the caller. Life: that of the document. By value: nothing
 * to free. */
struct jview {
	const char *p; /* NULL: there is no such value */
	size_t len;
};

/* jview_of - the value at the start of @text. */
struct jview jview_of(const char *text, size_t len);
/* jview_get - the member @key of the object @v; absent if @v is no object. Keys without
 * escapes are found. Cost: the length of @v. */
struct jview jview_get(struct jview v, const char *key);
/* jview_pick - the @cnt members @keys of the object @v in @to; an absent member is absent
 * there. Cost: one walk of @v; jview_get of each key would cost a walk for each. */
void jview_pick(struct jview *to, struct jview v, const char *const *keys, unsigned cnt);
/* jview_next - the next item of a list, or the next value of an object with its @key
 * (NULL for a list). @at: begins as the list or the object. Returns: false: no item is
 * left. */
bool jview_next(struct jview *at, struct jview *key, struct jview *item);
/* jview_is - is @v the text @s? jview_true - is @v the word true? */
bool jview_is(struct jview v, const char *s);
bool jview_true(struct jview v);
/* jview_u64 - the whole part of a number; @none if @v is no number. */
uint64_t jview_u64(struct jview v, uint64_t none);
/* jview_seconds - a number with decimals; -1: @v is no number. */
double jview_seconds(struct jview v);
/* jview_add - append the characters of a string, or the octets of another value, to @to.
 * Escapes are resolved; NUL and halves of surrogates become U+FFFD. */
void jview_add(struct strbuf *to, struct jview v);
/* jview_copy - as jview_add, into @to of @size octets with a NUL. Returns: false: no
 * value, or the value does not fit. */
bool jview_copy(char *to, size_t size, struct jview v);

#endif
