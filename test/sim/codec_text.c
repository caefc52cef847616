/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Received attributes as text, for stories and comparisons. Every attribute shows: those
 * without a form of their own as octets. */
#include "test/sim/codec.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
text_path(FILE *f, bool as4, const uint8_t *p, uint32_t len)
{
	static const char *const sign[] = { "?", "", "", "(", "(~" };
	uint32_t width = as4 ? 4 : 2;

	fprintf(f, " path");
	for (const uint8_t *end = p + len; p + 2 <= end; p += 2 + p[1] * width) {
		bool set = p[0] == 1;

		for (uint32_t i = 0; i < p[1] && p + 2 + (i + 1) * width <= end; i++)
			fprintf(f, " %s%s%u", set && !i ? "{" : "",
			    sign[p[0] < 5 ? p[0] : 0],
			    as4 ? codec_get32(p + 2 + 4 * i)
				: codec_get16(p + 2 + 2 * i));
		if (set)
			fputc('}', f);
	}
}

static void
text_hop(FILE *f, const uint8_t *p, uint32_t len)
{
	char hop[64];

	for (uint32_t i = 0; i < len; i += 16) {
		inet_ntop(len == 4 ? AF_INET : AF_INET6, p + i, hop, sizeof(hop));
		fprintf(f, i ? " and %s" : " next hop %s", hop);
	}
}

static void
text_numbers(FILE *f, const char *name, unsigned parts, const uint8_t *p, uint32_t len)
{
	uint32_t width = parts == 2 ? 2 : 4;

	fprintf(f, " %s", name);
	for (uint32_t i = 0; i + parts * width <= len; i += parts * width)
		for (unsigned k = 0; k < parts; k++)
			fprintf(f, "%s%u%s", k ? "," : " (",
			    width == 2 ? codec_get16(p + i + 2 * k)
				       : codec_get32(p + i + 4 * k),
			    k + 1 == parts ? ")" : "");
}

static void
text_octets(FILE *f, const uint8_t *p, uint32_t len)
{
	fputc(' ', f);
	for (uint32_t i = 0; i < len; i++)
		fprintf(f, "%02x", p[i]);
}

static void
text_attr(FILE *f, bool as4, uint8_t type, const uint8_t *p, uint32_t len)
{
	static const char *const origin[] = { "igp", "egp", "incomplete" };

	switch (type) {
	case 1:
		if (*p)
			fprintf(f, " origin %s", *p < 3 ? origin[*p] : "?");
		break;
	case 2:
		text_path(f, as4, p, len);
		break;
	case 3:
		text_hop(f, p, len);
		break;
	case 4:
		fprintf(f, " med %u", codec_get32(p));
		break;
	case 5:
		fprintf(f, " pref %u", codec_get32(p));
		break;
	case 8:
		text_numbers(f, "community", 2, p, len);
		break;
	case 32:
		text_numbers(f, "large", 3, p, len);
		break;
	case 35:
		fprintf(f, " otc %u", codec_get32(p));
		break;
	default:
		fprintf(f, " attribute %u", type);
		text_octets(f, p, len);
		break;
	}
}

/* put_all - attributes by ascending type: some speakers have another order. */
static void
put_all(FILE *f, bool as4, const uint8_t *from, const uint8_t *end)
{
	bool any = true;

	for (unsigned type = 0; any && type < 256; type++) {
		any = false;
		for (const uint8_t *a = from, *next; a < end; a = next) {
			bool wide = a[0] & 0x10;
			uint32_t len = wide ? codec_get16(a + 2) : a[2];
			const uint8_t *value = a + (wide ? 4 : 3);

			next = value + len;
			any |= a[1] > type;
			if (a[1] == type)
				text_attr(f, as4, a[1], value, len);
		}
	}
}

const char *
codec_text(struct rib_attrs *attrs)
{
	const uint8_t *p = attrs->octets;
	size_t len;
	FILE *f;

	if (attrs->text)
		return attrs->text;
	f = open_memstream(&attrs->text, &len);
	put_all(f, p[0], p + 2 + p[1], p + attrs->len);
	text_hop(f, p + 2, p[1]);
	fclose(f);
	if (*attrs->text)
		memmove(attrs->text, attrs->text + 1, strlen(attrs->text));
	return attrs->text;
}
