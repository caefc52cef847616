/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON (RFC 8259), value by value, at the end of a text buffer. The document has
 * no blanks and no line ends, so a document is one line.
 *
 * Each function takes the key of the value in the open object; within a list, and for the
 * document itself, the key is NULL. Keys are constants of tern: letters, digits, '_'.
 * Texts may hold any octets: an octet that is not UTF-8 becomes U+FFFD; characters that
 * RFC 8259 forbids in a string, and DEL, are escaped.
 *
 * Calls in a wrong order (a key in a list, an end too many) produce no JSON; debug builds
 * detect the order.
 *
 * Loop: the loop that owns the buffer. */
#ifndef TERN_LIB_JSON_JSON_H
#define TERN_LIB_JSON_JSON_H

#include "lib/base/check.h"

struct strbuf;

#define JSON_DEPTH_MAX 32

/* Owner: the caller. Life: on the stack or embedded, while the document is written. */
struct json {
	struct strbuf *out;
	/* private */
	uint32_t lists; /* bit n: what is open at depth n is a list */
	uint8_t depth;
	bool more; /* a value stands before the next one */
};

/* json_init - write at the end of @out, which lives longer. */
void json_init(struct json *j, struct strbuf *out);
/* json_open, json_list - an object, a list begins; json_close - the innermost ends. */
void json_open(struct json *j, const char *key);
void json_list(struct json *j, const char *key);
void json_close(struct json *j);
/* json_str - @s NULL: nothing is written. json_text - of @len octets. json_fmt - as
 * printf. */
void json_str(struct json *j, const char *key, const char *s);
void json_text(struct json *j, const char *key, const char *s, size_t len);
void json_fmt(struct json *j, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_bool(struct json *j, const char *key, bool v);
/* json_seconds - @ns as seconds, rounded down to milliseconds: 1.250 */
void json_seconds(struct json *j, const char *key, uint64_t ns);
/* json_done - is the document complete? */
static inline bool
json_done(const struct json *j)
{
	return !j->depth && j->more;
}

#endif
