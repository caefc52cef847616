/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the daemon's JSON as members of another document, for the APIs that older
 * clients read. Pure functions, except for the clock that jcopy_when reads. */
#ifndef TERN_CLIENT_HTTP_JOB_JCOPY_H
#define TERN_CLIENT_HTTP_JOB_JCOPY_H

#include "lib/json/jview.h"
#include "lib/json/json.h"

/* jcopy_text - the member @key with the text of @v, as a string; @none if @v is absent
 * (NULL: no member). @key: NULL in a list. */
void jcopy_text(struct json *o, const char *key, struct jview v, const char *none);
/* jcopy_u64 - the whole part of a number; @none if @v is no number. */
void jcopy_u64(struct json *o, const char *key, struct jview v, uint64_t none);
/* jcopy_numbers - @list, a list of lists of numbers; no member if @list is absent. */
void jcopy_numbers(struct json *o, const char *key, struct jview list);
/* jcopy_large - the large communities of the route @line, with those that the import
 * filter added before the filter refused the route. No member if the route has none. */
void jcopy_large(struct json *o, const char *key, struct jview line);
/* jcopy_origin - an ORIGIN in BIRD's words: IGP, EGP, Incomplete. */
void jcopy_origin(struct json *o, const char *key, struct jview origin);
/* jcopy_path - an AS path as a list of texts; an AS set is `{}`. */
void jcopy_path(struct json *o, const char *key, struct jview path);
/* jcopy_when - the UTC time @v (seconds since 1970) in the form @format of strftime;
 * the present time if @v is absent. */
void jcopy_when(struct json *o, const char *key, const char *format, struct jview v);
/* jcopy_time - the same, of @unix_s, in @to of @size octets. */
void jcopy_time(char *to, size_t size, const char *format, double unix_s);

#endif
