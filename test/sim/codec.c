/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP messages of the simulated members: a small codec that shares nothing with the
 * product's. */
#include "test/sim/codec.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *
put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static uint8_t *
put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v & 0xffff);
}

static uint32_t
get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t
get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

uint32_t
codec_header(uint8_t *out, uint8_t type, uint32_t len)
{
	memset(out, 0xff, 16);
	put16(out + 16, len);
	out[18] = type;
	return len;
}

/* put_capability - of @len octets of @value. */
static uint8_t *
put_capability(uint8_t *p, uint8_t code, const uint8_t *value, uint8_t len)
{
	*p++ = code;
	*p++ = len;
	if (len)
		memcpy(p, value, len);
	return p + len;
}

uint32_t
codec_open(const struct member *m, uint8_t *out)
{
	uint8_t *p = out + 19, *params, value[16];

	*p++ = 4;
	p = put16(p, m->as > 65535 ? 23456 : m->as);
	p = put16(p, m->hold_s);
	inet_pton(AF_INET, strchr(m->address, ':') ? "10.9.9.9" : m->address, p);
	p += 4;
	params = p;
	p += 3;
	p = put_capability(p, 1, (const uint8_t *)"\0\1\0\1", 4);
	if (m->ipv6)
		p = put_capability(p, 1, (const uint8_t *)"\0\2\0\1", 4);
	p = put_capability(p, 2, NULL, 0);
	put32(value, m->as);
	p = put_capability(p, 65, value, 4);
	if (m->add_path)
		p = put_capability(
		    p, 69, (const uint8_t *)"\0\1\1\3\0\2\1\3", m->ipv6 ? 8 : 4);
	if (m->restarts)
		p = put_capability(p, 64, (const uint8_t *)"\0\170\0\1\1\200", 6);
	params[0] = (uint8_t)(p - params - 1);
	params[1] = 2;
	params[2] = (uint8_t)(p - params - 3);
	return codec_header(out, BGP_OPEN, (uint32_t)(p - out));
}

static uint8_t *
put_prefix(uint8_t *p, const struct mroute *r, bool id)
{
	char text[64], *slash;
	uint8_t octet[16];
	unsigned len;

	snprintf(text, sizeof(text), "%s", r->prefix);
	slash = strchr(text, '/');
	len = (unsigned)atoi(slash + 1);
	*slash = 0;
	inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, octet);
	if (id)
		p = put32(p, r->id);
	*p++ = (uint8_t)len;
	memcpy(p, octet, (len + 7) / 8);
	return p + (len + 7) / 8;
}

/* skip_blanks, next_is - reading of a route's text. */
static bool
next_is(const char **at, const char *word)
{
	size_t len = strlen(word);

	while (**at == ' ')
		++*at;
	if (strncmp(*at, word, len))
		return false;
	*at += len;
	return true;
}

static bool
next_number(const char **at, uint32_t *v)
{
	char *end;

	while (**at == ' ' || **at == ',')
		++*at;
	if (**at < '0' || **at > '9')
		return false;
	*v = (uint32_t)strtoul(*at, &end, 10);
	*at = end;
	return true;
}

static uint8_t *
put_path(uint8_t *p, const char **at, bool as4)
{
	uint8_t *start = p, *cnt;
	uint32_t v;

	*p++ = 0x40;
	*p++ = 2;
	p++;
	*p++ = 2;
	cnt = p++;
	for (*cnt = 0; next_number(at, &v); ++*cnt)
		p = as4 ? put32(p, v) : put16(p, v);
	if (!*cnt)
		p = start + 3;
	start[2] = (uint8_t)(p - start - 3);
	return p;
}

/* put_communities - "(1,2) (3,4)", @parts numbers each. */
static uint8_t *
put_communities(uint8_t *p, const char **at, uint8_t type, unsigned parts)
{
	uint8_t *start = p;
	uint32_t v;

	*p++ = 0xc0;
	*p++ = type;
	p++;
	while (next_is(at, "(")) {
		for (unsigned i = 0; i < parts && next_number(at, &v); i++)
			p = parts == 2 ? put16(p, v) : put32(p, v);
		next_is(at, ")");
	}
	start[2] = (uint8_t)(p - start - 3);
	return p;
}

static uint8_t *
put_attrs(const struct member *m, const struct mroute *r, uint8_t *p, bool v6)
{
	const char *at = r->attrs;
	char hop[64];
	uint32_t v;

	snprintf(hop, sizeof(hop), "%s", m->address);
	memcpy(p, "\x40\1\1\0", 4);
	p += 4;
	while (*at) {
		if (next_is(&at, "path")) {
			p = put_path(p, &at, m->peer_as4);
		} else if (next_is(&at, "community")) {
			p = put_communities(p, &at, 8, 2);
		} else if (next_is(&at, "large")) {
			p = put_communities(p, &at, 32, 3);
		} else if (next_is(&at, "med") && next_number(&at, &v)) {
			memcpy(p, "\x80\4\4", 3);
			p = put32(p + 3, v);
		} else if (next_is(&at, "next hop ")) {
			sscanf(at, "%63s", hop);
			at += strlen(hop);
		} else if (*at) {
			at++;
		}
	}
	if (v6) {
		uint8_t *start = p;

		memcpy(p, "\x80\x0e\0\0\2\1\x10", 7);
		inet_pton(AF_INET6, strchr(hop, ':') ? hop : "2001:db8::ffff", p + 7);
		p[23] = 0;
		p = put_prefix(p + 24, r, m->sends_id);
		start[2] = (uint8_t)(p - start - 3);
	} else {
		memcpy(p, "\x40\3\4", 3);
		inet_pton(AF_INET, hop, p + 3);
		p += 7;
	}
	return p;
}

uint32_t
codec_update(const struct member *m, const struct mroute *r, uint8_t *out)
{
	bool v6 = strchr(r->prefix, ':');
	uint8_t *p = out + 19, *attrs;

	if (!*r->attrs && !v6) { /* withdraw */
		uint8_t *end = put_prefix(p + 2, r, m->sends_id);

		put16(p, (uint32_t)(end - p - 2));
		put16(end, 0);
		return codec_header(out, BGP_UPDATE, (uint32_t)(end + 2 - out));
	}
	p = put16(p, 0);
	attrs = p;
	p += 2;
	if (*r->attrs) {
		p = put_attrs(m, r, p, v6);
	} else {
		uint8_t *start = p;

		memcpy(p, "\x80\x0f\0\0\2\1", 6);
		p = put_prefix(p + 6, r, m->sends_id);
		start[2] = (uint8_t)(p - start - 3);
	}
	put16(attrs, (uint32_t)(p - attrs - 2));
	if (!v6)
		p = put_prefix(p, r, m->sends_id);
	return codec_header(out, BGP_UPDATE, (uint32_t)(p - out));
}

/* ---- reading ---- */

bool
codec_take_open(struct member *m, const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len, *cap;

	if (len < 10 || p[0] != 4)
		return false;
	m->hold_used_s = (uint16_t)get16(p + 3);
	if (m->hold_s < m->hold_used_s)
		m->hold_used_s = m->hold_s;
	m->peer_as4 = m->sends_id = m->gets_id = false;
	for (p += 10; p + 2 <= end; p += 2 + p[1])
		for (cap = p + 2; p[0] == 2 && cap + 2 <= p + 2 + p[1];
		     cap += 2 + cap[1]) {
			m->peer_as4 |= cap[0] == 65;
			if (cap[0] == 69 && m->add_path && cap[1] >= 4) {
				m->sends_id = cap[5] & 1;
				m->gets_id = cap[5] & 2;
			}
		}
	return true;
}

static void
drop_route(struct member *m, const char *prefix, uint32_t id)
{
	struct mroute **at = &m->received, *r;

	while ((r = *at) && (r->id != id || strcmp(r->prefix, prefix)))
		at = &r->next;
	if (!r)
		return;
	*at = r->next;
	free(r);
}

/* take_prefixes - of one run; @attrs NULL: withdrawn. */
static bool
take_prefixes(
    struct member *m, const uint8_t *p, const uint8_t *end, bool v6, const char *attrs)
{
	while (p < end) {
		uint8_t octet[16] = { 0 };
		char text[80], prefix[64];
		uint32_t id = 0;
		struct mroute *r;

		if (m->gets_id) {
			if (end - p < 5)
				return false;
			id = get32(p);
			p += 4;
		}
		if (*p > (v6 ? 128 : 32) || end - p < 1 + (*p + 7) / 8)
			return false;
		memcpy(octet, p + 1, (size_t)(*p + 7) / 8);
		inet_ntop(v6 ? AF_INET6 : AF_INET, octet, text, sizeof(text));
		snprintf(prefix, sizeof(prefix), "%.48s/%u", text, *p);
		p += 1 + (*p + 7) / 8;
		drop_route(m, prefix, id);
		if (!attrs)
			continue;
		r = calloc(1, sizeof(*r));
		snprintf(r->prefix, sizeof(r->prefix), "%s", prefix);
		r->id = id;
		snprintf(r->attrs, sizeof(r->attrs), "%s", attrs);
		r->next = m->received;
		m->received = r;
	}
	return true;
}

/* Text that grows. */
struct text {
	char s[ROUTE_TEXT];
	size_t len;
};

static void __attribute__((format(printf, 2, 3)))
text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->len, sizeof(t->s) - t->len, fmt, ap);
	va_end(ap);
	t->len += (size_t)n;
	if (t->len >= sizeof(t->s))
		t->len = sizeof(t->s) - 1;
}

static void
text_path(struct text *t, const struct member *m, const uint8_t *p, uint32_t len)
{
	uint32_t width = m->peer_as4 ? 4 : 2;

	text_add(t, " path");
	for (const uint8_t *end = p + len; p + 2 <= end; p += 2 + p[1] * width)
		for (uint32_t i = 0; i < p[1] && p + 2 + (i + 1) * width <= end; i++)
			text_add(t, " %s%u", p[0] == 1 ? "~" : "",
			    width == 4 ? get32(p + 2 + 4 * i) : get16(p + 2 + 2 * i));
}

static void
text_attr(
    struct text *t, const struct member *m, uint8_t type, const uint8_t *p, uint32_t len)
{
	char hop[64];

	switch (type) {
	case 2:
		text_path(t, m, p, len);
		break;
	case 3:
		inet_ntop(AF_INET, p, hop, sizeof(hop));
		text_add(t, " next hop %s", hop);
		break;
	case 4:
		text_add(t, " med %u", get32(p));
		break;
	case 8:
		text_add(t, " community");
		for (uint32_t i = 0; i + 4 <= len; i += 4)
			text_add(t, " (%u,%u)", get16(p + i), get16(p + i + 2));
		break;
	case 32:
		text_add(t, " large");
		for (uint32_t i = 0; i + 12 <= len; i += 12)
			text_add(t, " (%u,%u,%u)", get32(p + i), get32(p + i + 4),
			    get32(p + i + 8));
		break;
	default:
		break;
	}
}

bool
codec_take_update(struct member *m, const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len, *a, *attrs_end, *reach = NULL, *unreach = NULL;
	uint32_t gone_len = len < 2 ? UINT32_MAX : get16(p), reach_len = 0,
		 unreach_len = 0;
	struct text t = { .len = 0 };

	if (gone_len > len - 4 || len < 4)
		return false;
	a = p + 2 + gone_len + 2;
	attrs_end = a + get16(a - 2);
	if (attrs_end > end)
		return false;
	if (len == 4) {
		m->eors++;
		return true;
	}
	while (a + 3 <= attrs_end) {
		bool wide = a[0] & 0x10;
		uint32_t alen = wide ? get16(a + 2) : a[2];
		const uint8_t *value = a + (wide ? 4 : 3);

		if (value + alen > attrs_end)
			return false;
		if (a[1] == 14) {
			reach = value;
			reach_len = alen;
		} else if (a[1] == 15) {
			unreach = value;
			unreach_len = alen;
		} else {
			text_attr(&t, m, a[1], value, alen);
		}
		a = value + alen;
	}
	if (unreach && unreach_len == 3) {
		m->eors++;
		return true;
	}
	if (!take_prefixes(m, p + 2, p + 2 + gone_len, false, NULL) ||
	    (unreach &&
		!take_prefixes(m, unreach + 3, unreach + unreach_len, true, NULL)))
		return false;
	if (reach && reach_len > 5u + reach[3]) {
		char hop[64];

		inet_ntop(AF_INET6, reach + 4, hop, sizeof(hop));
		text_add(&t, " next hop %s", hop);
		if (!take_prefixes(m, reach + 5 + reach[3], reach + reach_len,
			reach[1] == 2, t.s + 1))
			return false;
	}
	return take_prefixes(m, attrs_end, end, false, t.len ? t.s + 1 : "");
}
