/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply of a command: the command states each value once, and the printer writes the
 * value as BIRD's text or as JSON (RFC 8259, lib/json/json.h).
 *
 * A function takes a key, a form and a value:
 *   key   name of the value in the open JSON object; NULL in a list
 *   form  the value's place in the text: a printf format with a single conversion, `%s`
 *         (width and precision allowed), which stands for the printed value. Line ends
 *         are part of the form. NULL: the text lacks the value
 *
 * JSON keeps the order of the calls. If the text has another order, the command divides
 * its lines into parts (reply_part).
 *
 * Values from outside cannot add lines: an end of line in a value becomes '?'.
 *
 * Loop: the loop that owns the buffers of the reply. */
#ifndef TERN_NEST_CORE_REPLY_H
#define TERN_NEST_CORE_REPLY_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

struct counter64;
struct json;
struct prefix;
struct time_format;

#define REPLY_PARTS 6 /* of the lines of a text */

/* Owner: the command. Life: embedded or on the stack, while the command prints an object.
 * Exactly one of `json` and `text` is NULL. */
struct reply {
	struct json *json; /* an open object of JSON */
	struct strbuf *text; /* lines of text, or their present part */
	struct strbuf *parts; /* REPLY_PARTS parts; NULL: the reply has one part */
	const struct time_format *time; /* of points in time in the text */
};

/* The text of a point in time. Owner: the command. Life: by value; zeros: no text. */
struct reply_time_text {
	uint64_t ns;
	char text[64];
};

/* reply_text - printf for the text alone. */
void reply_text(struct reply *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* reply_part - the text of the next calls belongs to part @part (0 to REPLY_PARTS - 1) of
 * the lines. cli_reply_lines joins the parts and begins part 0. */
static inline void
reply_part(struct reply *r, unsigned part)
{
	DCHECK(part < REPLY_PARTS);
	if (r->text)
		r->text = &r->parts[part];
}
/* reply_str - @s NULL or, for reply_fill, empty: no value. reply_span - of @len
 * octets. */
void reply_str(struct reply *r, const char *key, const char *form, const char *s);
void reply_fill(struct reply *r, const char *key, const char *form, const char *s);
void reply_span(
    struct reply *r, const char *key, const char *form, const char *s, size_t len);
void reply_u64(struct reply *r, const char *key, const char *form, uint64_t v);
/* reply_some - no value if @v is 0. */
void reply_some(struct reply *r, const char *key, const char *form, uint64_t v);
/* reply_bool - @form is the text, without conversion, if @v is true. */
void reply_bool(struct reply *r, const char *key, const char *form, bool v);
/* reply_seconds - @ns as seconds, rounded down to milliseconds: 1.250 */
void reply_seconds(struct reply *r, const char *key, const char *form, uint64_t ns);
/* reply_time - the point in time @ns of clock_now_ns. In JSON: Unix time in seconds. */
void reply_time(struct reply *r, const char *key, const char *form, uint64_t ns);
/* reply_time_kept - as reply_time. @kept: the text of the last call, for calls with the
 * same @ns and r->time. */
void reply_time_kept(struct reply *r, const char *key, const char *form, uint64_t ns,
    struct reply_time_text *kept);
/* reply_left - the time left until @at (of clock_now_ns), in text with the whole time:
 * "1.234/5", or "1.234/-" with @of_s 0. In JSON the whole time has the key @of. No value
 * for a stopped timer. */
void reply_left(struct reply *r, const char *key, const char *of, const char *form,
    const struct counter64 *at, uint32_t of_s);
/* reply_ip - IP_NONE: JSON has no value. */
void reply_ip(struct reply *r, const char *key, const char *form, struct ip_addr ip);
void reply_prefix(
    struct reply *r, const char *key, const char *form, const struct prefix *p);

/* reply_open, reply_list - in JSON an object, a list begins; reply_close - the innermost
 * ends. Without effect on the text. */
void reply_open(struct reply *r, const char *key);
void reply_list(struct reply *r, const char *key);
void reply_close(struct reply *r);

#endif
