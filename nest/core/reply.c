/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printer of replies.
 *
 * I1  A value occurs in one line of the text: no value adds an end of line.
 *
 * No state but the caller's; any thread. */
#include "nest/core/reply.h"

#include "lib/base/base.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "sysdep/os/clock.h"

#include <stdarg.h>
#include <stdio.h>

#define SECONDS_MAX 32

void
reply_text(struct reply *r, const char *fmt, ...)
{
	va_list ap;

	if (!r->text)
		return;
	if (!strchr(fmt, '%')) { /* vsnprintf costs ten times as much */
		strbuf_adds(r->text, fmt);
		return;
	}
	va_start(ap, fmt);
	strbuf_vaddf(r->text, fmt, ap);
	va_end(ap);
}

/* reply_form_is_sound - true: the single conversion of @form is `%s`. */
static inline bool
reply_form_is_sound(const char *form)
{
	const char *c = strchr(form, '%');

	if (!c || strchr(c + 1, '%'))
		return false;
	c++;
	return c[strspn(c, "-.0123456789")] == 's';
}

static void
reply_pad(struct strbuf *to, size_t cnt)
{
	static const char blanks[] = "                                ";

	for (size_t n; cnt; cnt -= n) {
		n = cnt < sizeof(blanks) - 1 ? cnt : sizeof(blanks) - 1;
		strbuf_add(to, blanks, n);
	}
}

static size_t
reply_number(const char **c)
{
	size_t v = 0;

	while (**c >= '0' && **c <= '9')
		v = v * 10 + (size_t)(*(*c)++ - '0');
	return v;
}

/* reply_put_form - as strbuf_addf, whose costs exceed the costs of the rest of a line. */
static void
reply_put_form(struct strbuf *to, const char *form, const char *s, size_t len)
{
	const char *c = strchr(form, '%');
	size_t width;
	bool left;

	DCHECK(reply_form_is_sound(form));
	if (c != form)
		strbuf_add(to, form, (size_t)(c - form));
	if (*++c == 's') {
		strbuf_add(to, s, len);
		if (c[1])
			strbuf_adds(to, c + 1);
		return;
	}
	left = *c == '-';
	c += left;
	width = reply_number(&c);
	if (*c == '.') {
		c++;
		len = min_u64(len, reply_number(&c));
	}
	if (!left && width > len)
		reply_pad(to, width - len);
	strbuf_add(to, s, len);
	if (left && width > len)
		reply_pad(to, width - len);
	strbuf_adds(to, c + 1);
}

/* reply_put - the value @s of @len octets in the form @form, if any. I1. */
static void
reply_put(struct reply *r, const char *form, const char *s, size_t len)
{
	struct strbuf line;

	if (!form)
		return;
	if (!memchr(s, '\n', len) && !memchr(s, '\r', len)) {
		reply_put_form(r->text, form, s, len);
		return;
	}
	strbuf_init(&line);
	strbuf_add(&line, s, len);
	for (char *c = line.s; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = '?';
	reply_put_form(r->text, form, line.s, line.len);
	strbuf_fini(&line);
}

void
reply_str(struct reply *r, const char *key, const char *form, const char *s)
{
	if (r->json)
		json_str(r->json, key, s);
	else if (s)
		reply_put(r, form, s, strlen(s));
}

void
reply_fill(struct reply *r, const char *key, const char *form, const char *s)
{
	reply_str(r, key, form, s && *s ? s : NULL);
}

void
reply_span(struct reply *r, const char *key, const char *form, const char *s, size_t len)
{
	if (r->json)
		json_text(r->json, key, s, len);
	else
		reply_put(r, form, s, strnlen(s, len));
}

void
reply_u64(struct reply *r, const char *key, const char *form, uint64_t v)
{
	char text[20], *end = text + sizeof(text), *p = end;

	if (r->json) {
		json_u64(r->json, key, v);
		return;
	}
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (form)
		reply_put_form(r->text, form, p, (size_t)(end - p));
}

void
reply_some(struct reply *r, const char *key, const char *form, uint64_t v)
{
	if (v)
		reply_u64(r, key, form, v);
}

void
reply_bool(struct reply *r, const char *key, const char *form, bool v)
{
	if (r->json)
		json_bool(r->json, key, v);
	else if (v && form)
		strbuf_adds(r->text, form);
}

static const char *
reply_seconds_text(char *to, uint64_t ns)
{
	snprintf(to, SECONDS_MAX, "%llu.%03u", (unsigned long long)(ns / NS_PER_S),
	    (unsigned)(ns % NS_PER_S / NS_PER_MS));
	return to;
}

void
reply_seconds(struct reply *r, const char *key, const char *form, uint64_t ns)
{
	char text[SECONDS_MAX];

	if (r->json)
		json_seconds(r->json, key, ns);
	else
		reply_str(r, key, form, reply_seconds_text(text, ns));
}

void
reply_time(struct reply *r, const char *key, const char *form, uint64_t ns)
{
	char text[128];

	if (r->json) {
		json_seconds(r->json, key, clock_real_ns(ns));
	} else if (form) {
		clock_print(text, sizeof(text), r->time, ns);
		reply_str(r, key, form, text);
	}
}

void
reply_time_kept(struct reply *r, const char *key, const char *form, uint64_t ns,
    struct reply_time_text *kept)
{
	if (r->json) {
		reply_time(r, key, form, ns);
		return;
	}
	if (ns != kept->ns || !ns) {
		clock_print(kept->text, sizeof(kept->text), r->time, ns);
		kept->ns = ns;
	}
	reply_str(r, key, form, kept->text);
}

void
reply_left(struct reply *r, const char *key, const char *of, const char *form,
    const struct counter64 *at, uint32_t of_s)
{
	uint64_t ns = counter64_get(at), now = clock_now_ns();
	uint64_t left = ns > now ? ns - now : 0;
	char text[2 * SECONDS_MAX], seconds[SECONDS_MAX], whole[16] = "-";

	if (!ns)
		return;
	if (r->json) {
		json_seconds(r->json, key, left);
		if (of_s)
			json_u64(r->json, of, of_s);
		return;
	}
	if (of_s)
		snprintf(whole, sizeof(whole), "%u", of_s);
	snprintf(text, sizeof(text), "%s/%s", reply_seconds_text(seconds, left), whole);
	reply_str(r, of, form, text);
}

void
reply_ip(struct reply *r, const char *key, const char *form, struct ip_addr ip)
{
	char text[IP_STR_MAX];

	if (r->json)
		json_ip(r->json, key, ip);
	else if (form)
		reply_str(r, key, form, ip_str(text, ip));
}

void
reply_prefix(struct reply *r, const char *key, const char *form, const struct prefix *p)
{
	char text[PREFIX_STR_MAX];

	reply_str(r, key, form, prefix_str(text, p));
}

void
reply_open(struct reply *r, const char *key)
{
	if (r->json)
		json_open(r->json, key);
}

void
reply_list(struct reply *r, const char *key)
{
	if (r->json)
		json_list(r->json, key);
}

void
reply_close(struct reply *r)
{
	if (r->json)
		json_close(r->json);
}
