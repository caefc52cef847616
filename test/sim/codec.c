/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP messages of the simulated members: a small codec that shares nothing with the
 * product's. */
#include "test/sim/codec.h"
#include "test/sim/member_role.h"
#include "test/sim/sim.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <bsd/string.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t
codec_header(uint8_t *out, uint8_t type, uint32_t len)
{
	memset(out, 0xff, 16);
	codec_put16(out + 16, len);
	out[18] = type;
	return len;
}

static uint8_t *
put_prefix(uint8_t *p, const struct rib_key *k, bool id)
{
	if (id)
		p = codec_put32(p, k->id);
	*p++ = k->len;
	memcpy(p, k->octet, (k->len + 7u) / 8);
	return p + (k->len + 7) / 8;
}

/* skip_blanks, next_is - reading of a route's text. */
static bool
next_is(const char **at, const char *word)
{
	size_t len = strlen(word);

	while (**at == ' ')
		++*at;
	if (strncmp(*at, word, len) ||
	    (isalpha((unsigned char)*word) && isalnum((unsigned char)(*at)[len])))
		return false;
	*at += len;
	return true;
}

/* next_number - up to @max; a larger number stays in *@at, and is an error. */
static bool
next_number(const char **at, uint32_t max, uint32_t *v)
{
	unsigned long n;
	char *end;

	while (**at == ' ' || **at == ',')
		++*at;
	if (**at < '0' || **at > '9')
		return false;
	n = strtoul(*at, &end, 10);
	if (n > max)
		return false;
	*v = (uint32_t)n;
	*at = end;
	return true;
}

/* put_segment - the numbers at *@at, if there are numbers. */
static uint8_t *
put_segment(uint8_t *p, const char **at, uint8_t type, bool as4)
{
	uint8_t *start = p, *cnt;
	uint32_t v;

	*p++ = type;
	cnt = p++;
	for (*cnt = 0; next_number(at, UINT32_MAX, &v); ++*cnt)
		p = as4 ? codec_put32(p, v) : codec_put16(p, v);
	return *cnt ? p : start;
}

/* put_path - "1 2 {3 4} 5": a sequence, a set, a sequence. Returns: NULL: a set without
 * an end, or more than 255 octets. */
static uint8_t *
codec_put_path(uint8_t *p, const char **at, bool as4)
{
	uint8_t *start = p;

	*p++ = 0x40;
	*p++ = 2;
	p = put_segment(p + 1, at, 2, as4);
	while (next_is(at, "{")) {
		p = put_segment(p, at, 1, as4);
		if (!next_is(at, "}"))
			return NULL;
		p = put_segment(p, at, 2, as4);
	}
	start[2] = (uint8_t)(p - start - 3);
	return p - start - 3 > UINT8_MAX ? NULL : p;
}

/* put_communities - "(1,2) (3,4)", @parts numbers each. Returns: NULL: anything else, or
 * more than 255 octets. */
static uint8_t *
put_communities(uint8_t *p, const char **at, uint8_t type, unsigned parts)
{
	uint8_t *start = p;
	uint32_t v;

	*p++ = 0xc0;
	*p++ = type;
	p++;
	while (next_is(at, "(")) {
		for (unsigned i = 0; i < parts; i++) {
			if (!next_number(at, parts == 2 ? UINT16_MAX : UINT32_MAX, &v))
				return NULL;
			p = parts == 2 ? codec_put16(p, v) : codec_put32(p, v);
		}
		if (!next_is(at, ")"))
			return NULL;
	}
	start[2] = (uint8_t)(p - start - 3);
	return p - start - 3 > UINT8_MAX ? NULL : p;
}

/* gate_put_hop - the attribute NEXT_HOP, or the head of MP_REACH_NLRI: for IPv6, and for
 * IPv4 over IPv6 (RFC 8950). *@reach: where the length of MP_REACH_NLRI stands, or NULL.
 */
static uint8_t *
codec_put_hop(
    const struct member *m, const char *hop, bool v6, uint8_t *p, uint8_t **reach)
{
	bool over_ipv6 = strchr(hop, ':');

	*reach = NULL;
	if (!v6 && !(over_ipv6 && m->uses_extended_hop)) {
		memcpy(p, "\x40\3\4", 3);
		inet_pton(AF_INET, over_ipv6 ? "10.9.9.9" : hop, p + 3);
		return p + 7;
	}
	*reach = p + 2;
	memcpy(p, "\x90\x0e\0\0\0\1\1\x10", 8);
	p[5] += v6;
	inet_pton(AF_INET6, over_ipv6 ? hop : "2001:db8::ffff", p + 8);
	p[24] = 0;
	return p + 25;
}

/* codec_is_new - add the attribute @type, below 64, to @seen. Returns: false: again. */
static bool
codec_is_new(uint64_t *seen, uint8_t type)
{
	uint64_t bit = 1ull << (type & 63), old = *seen;

	*seen |= bit;
	return !(old & bit);
}

/* codec_put_wrong - the malformed attribute that the text at *@at names: at @p, or the
 * ORIGIN at @first. *@type: of the attribute. Returns: NULL: another
 * word. */
static uint8_t *
codec_put_wrong(uint8_t *p, const char **at, uint8_t *first, uint8_t *type)
{
	static const struct {
		const char *word;
		uint8_t len, octets[16]; /* 3 octets of the head, and the value */
	} row[] = {
		{ "path", 9, { 0x40, 2, 6, 9, 1, 0, 0, 0xfb, 0xf4 } },
		{ "med", 6, { 0x80, 4, 3 } },
		{ "community", 8, { 0xc0, 8, 5 } },
		{ "large", 14, { 0xc0, 32, 11 } },
		{ "otc", 6, { 0xc0, 35, 3 } },
	};

	*type = 1;
	if (next_is(at, "origin")) {
		first[3] = 7; /* no value of RFC 4271, 4.3 */
		return p;
	}
	if (next_is(at, "flags")) {
		first[0] = 0xc0; /* ORIGIN is well-known, not optional */
		return p;
	}
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (next_is(at, row[i].word)) {
			memcpy(p, row[i].octets, row[i].len);
			*type = row[i].octets[1];
			return p + row[i].len;
		}
	return NULL;
}

/* put_attrs - all but the prefixes, of an IPv6 route if @v6. *@reach: where the length of
 * MP_REACH_NLRI stands; NULL: the route has no such attribute. Returns: NULL: the text at
 * @from is no attribute, or an attribute that the text has already. */
static uint8_t *
put_attrs(const struct member *m, const char **from, bool v6, uint8_t *p, uint8_t **reach)
{
	const char *at = *from;
	uint8_t octets[16], type, *const first = p;
	char hop[64];
	uint64_t seen = 0; /* types; NEXT_HOP is 3 */
	uint32_t v;

	strlcpy(hop, m->address, sizeof(hop));
	hop[strcspn(hop, "%")] = 0; /* the interface of a link-local address */
	memcpy(p, "\x40\1\1\0", 4);
	p += 4;
	for (; *(at += strspn(at, " ")); *from = at) {
		uint8_t *const before = p;

		type = 3;
		if (next_is(&at, "path")) {
			p = codec_put_path(p, &at, m->peer_as4);
		} else if (next_is(&at, "community")) {
			p = put_communities(p, &at, 8, 2);
		} else if (next_is(&at, "large")) {
			p = put_communities(p, &at, 32, 3);
		} else if (next_is(&at, "med") && next_number(&at, UINT32_MAX, &v)) {
			memcpy(p, "\x80\4\4", 3);
			p = codec_put32(p + 3, v);
		} else if (next_is(&at, "pref") && next_number(&at, UINT32_MAX, &v)) {
			memcpy(p, "\x40\5\4", 3);
			p = codec_put32(p + 3, v);
		} else if (next_is(&at, "otc") && next_number(&at, UINT32_MAX, &v)) {
			memcpy(p, "\xc0\x23\4", 3);
			p = codec_put32(p + 3, v);
		} else if (next_is(&at, "wrong")) {
			p = codec_put_wrong(p, &at, first, &type);
		} else if (next_is(&at, "next hop")) {
			at += strspn(at, " ");
			strlcpy(hop, at, sizeof(hop));
			hop[strcspn(hop, " ")] = 0;
			at += strlen(hop);
			if (inet_pton(
				strchr(hop, ':') ? AF_INET6 : AF_INET, hop, octets) != 1)
				return NULL;
		} else {
			return NULL;
		}
		if (!p || (*at && *at != ' ' && at[-1] != ' ') ||
		    !codec_is_new(&seen, p > before ? before[1] : type))
			return NULL;
	}
	return codec_put_hop(m, hop, v6, p, reach);
}

bool
codec_is_malformed(const char *text)
{
	return strstr(text, " wrong ") || !strncmp(text, "wrong ", 6);
}

const char *
codec_wrong_attrs(const char *text)
{
	struct member *any = calloc(1, sizeof(*any));
	uint8_t *out = malloc(65536), *reach;
	bool ok;

	any->peer_as4 = true;
	ok = put_attrs(any, &text, false, out, &reach);
	free(out);
	free(any);
	return ok ? NULL : text;
}

uint32_t
codec_route(const struct member *m, const struct rib_attrs *a, bool v6, uint8_t *out)
{
	const char *text = a->text;
	uint8_t *reach, *end = put_attrs(m, &text, v6, out, &reach);

	if (reach)
		codec_put16(reach, (uint32_t)(end - reach - 2));
	return (uint32_t)(end - out);
}

/* enc_put_run - as many of *@cnt prefixes as fit. */
static uint8_t *
codec_put_run(const struct member *m, const struct pending *r, uint32_t *cnt, uint8_t *p,
    const uint8_t *end)
{
	uint32_t n = 0;

	while (n < *cnt && r[n].attrs == r->attrs && r[n].key.v6 == r->key.v6 &&
	       end - p > 24)
		p = put_prefix(p, &r[n++].key, m->sends_id[r->key.v6]);
	*cnt = n;
	return p;
}

uint32_t
codec_update(const struct member *m, const struct pending *r, uint32_t *cnt, uint8_t *out)
{
	const uint8_t *end = out +
			     (m->uses_extended_messages ? CODEC_MAX : CODEC_USUAL_MAX);
	uint8_t *p = out + 19, *attrs, *reach;

	if (!r->attrs && !r->key.v6) { /* withdraw */
		uint8_t *last = codec_put_run(m, r, cnt, p + 2, end - 2);

		codec_put16(p, (uint32_t)(last - p - 2));
		codec_put16(last, 0);
		return codec_header(out, BGP_UPDATE, (uint32_t)(last + 2 - out));
	}
	p = codec_put16(p, 0);
	attrs = p;
	p += 2;
	if (r->attrs) {
		const char *text = r->attrs->text;

		p = put_attrs(m, &text, r->key.v6, p, &reach);
	} else {
		reach = p + 2;
		memcpy(p, "\x90\x0f\0\0\0\2\1", 7);
		p += 7;
	}
	if (!reach)
		codec_put16(attrs, (uint32_t)(p - attrs - 2));
	p = codec_put_run(m, r, cnt, p, end);
	if (reach) {
		codec_put16(reach, (uint32_t)(p - reach - 2));
		codec_put16(attrs, (uint32_t)(p - attrs - 2));
	}
	return codec_header(out, BGP_UPDATE, (uint32_t)(p - out));
}

/* ---- reading ---- */

/* codec_no_cause - a withdrawal of a route that the member does not hold. A station's
 * peers have no name: another station may have held the route. */
static void
codec_no_cause(const struct member *m, const struct rib_key *k)
{
	char prefix[64];

	rib_prefix(prefix, k);
	sim_fail("%s got a withdrawal of %s, id %u, and holds no such route", m->name,
	    prefix, k->id);
}

/* take_prefixes - of one run; @attrs NULL: withdrawn. */
static bool
codec_take_prefixes(struct member *m, const uint8_t *p, const uint8_t *end, bool v6,
    struct rib_attrs *attrs)
{
	while (p < end) {
		struct rib_key k = { .v6 = v6 };

		if (m->gets_id[v6]) {
			if (end - p < 5)
				return false;
			k.id = codec_get32(p);
			p += 4;
		}
		k.len = *p;
		if (*p > (v6 ? 128 : 32) || end - p < 1 + (*p + 7) / 8)
			return false;
		memcpy(k.octet, p + 1, (size_t)(*p + 7) / 8);
		p += 1 + (*p + 7) / 8;
		rib_drop(&m->stale, &k);
		rib_drop(&m->again, &k);
		if (attrs)
			rib_put(&m->received, &k, attrs);
		else if (!rib_drop(&m->received, &k) && *m->name)
			codec_no_cause(m, &k);
	}
	return true;
}

/* next_attr - one attribute; false: malformed. */
static bool
next_attr(const uint8_t **at, const uint8_t *end, const uint8_t **value, uint32_t *len)
{
	const uint8_t *a = *at;
	bool wide = a[0] & 0x10;

	if (end - a < (wide ? 4 : 3))
		return false;
	*len = wide ? codec_get16(a + 2) : a[2];
	*value = a + (wide ? 4 : 3);
	*at = *value + *len;
	return *at <= end;
}

static bool
end_of_rib(struct member *m, bool v6)
{
	m->eors++;
	m->ended[v6] = m->has_ended[v6] = true;
	return true;
}

/* reach_fits - the head of MP_REACH_NLRI. An IPv4 route has an IPv6 next hop only if both
 * sides have the capability (RFC 8950, 4). */
static bool
reach_fits(const struct member *m, const uint8_t *p, uint32_t len)
{
	if (len < 5 || len < 5u + p[3])
		return false;
	return codec_get16(p) != 1 || p[3] == 4 || m->uses_extended_hop;
}

static void
codec_check_otc(const struct member *m, const struct rib_attrs *a)
{
	uint32_t len, v;
	const uint8_t *otc = codec_attr(a, 35, &len);

	if (otc)
		v = len == 4 ? codec_get32(otc) : 0;
	role_check_route(m, otc ? &v : NULL);
}

/* Attributes of a route as the RIB keeps them: whether AS numbers have 4 octets; the
 * length of the next hop of MP_REACH_NLRI; the next hop; all other attributes as they
 * came. */
bool
codec_take_update(struct member *m, const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len, *a, *attrs_end, *value, *reach = NULL,
		      *unreach = NULL;
	uint32_t gone_len = len < 2 ? UINT32_MAX : codec_get16(p), reach_len = 0,
		 unreach_len = 0, alen, n = 2;
	uint8_t kept[65536];
	struct rib_attrs *attrs;

	if (gone_len > len - 4 || len < 4)
		return false;
	a = p + 2 + gone_len + 2;
	attrs_end = a + codec_get16(a - 2);
	if (attrs_end > end)
		return false;
	if (len == 4)
		return end_of_rib(m, false);
	for (const uint8_t *b = a, *from; b < attrs_end;) {
		from = b;
		if (!next_attr(&b, attrs_end, &value, &alen))
			return false;
		if (from[1] == 14) {
			reach = value;
			reach_len = alen;
		}
	}
	kept[0] = m->peer_as4;
	kept[1] = 0;
	if (reach && !reach_fits(m, reach, reach_len))
		return false;
	if (reach) {
		kept[1] = reach[3];
		memcpy(kept + 2, reach + 4, reach[3]);
		n += reach[3];
	}
	while (a < attrs_end) {
		const uint8_t *from = a;

		next_attr(&a, attrs_end, &value, &alen);
		if (from[1] == 15) {
			unreach = value;
			unreach_len = alen;
		} else if (from[1] != 14) {
			memcpy(kept + n, from, (size_t)(a - from));
			n += (uint32_t)(a - from);
		}
	}
	if (unreach && unreach_len == 3)
		return end_of_rib(m, codec_get16(unreach) == 2);
	if (!codec_take_prefixes(m, p + 2, p + 2 + gone_len, false, NULL) ||
	    (unreach && !codec_take_prefixes(m, unreach + 3, unreach + unreach_len,
			    codec_get16(unreach) == 2, NULL)))
		return false;
	if (!reach && attrs_end == end)
		return true;
	attrs = rib_attrs_get(kept, n);
	codec_check_otc(m, attrs);
	if (reach && !codec_take_prefixes(m, reach + 5 + reach[3], reach + reach_len,
			 codec_get16(reach) == 2, attrs))
		return false;
	return codec_take_prefixes(m, attrs_end, end, false, attrs);
}
