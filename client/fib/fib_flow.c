/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib annotate: lookups for a block of records, and the form of the additions.
 *
 * I1  All answers and facts of a bulk belong to one generation of one image.
 *
 * Tested by test/unit/test_ternfib.c and test/stress/stress_annotate.c. Loop: the threads
 * of the command. */
#include "client/fib/fib_flow.h"
#include "client/fib/fib_cmd.h"
#include "lib/fib/ternfib.h"
#include "lib/net/ip.h"
#include <stdlib.h>

#define HEADING ",source_as,destination_as,source_next_hop,destination_next_hop"

/* A line of the input. Owner: the call. Life: by value. */
struct fib_flow_text {
	const char *at, *end; /* without CR LF */
	bool cr, heading;
};

/* ---- facts ---- */

static uint32_t
fib_flow_asn(struct fib_flow_part *p, uint64_t answer)
{
	uint32_t *at = &p->asn[ternfib_origin_of(answer)];

	if (*at == UINT32_MAX && ternfib_origin(p->t, answer, at))
		*at = 0;
	return *at;
}

static const struct ternfib_hop *
fib_flow_hop(struct fib_flow_part *p, uint64_t answer)
{
	struct ternfib_hop *h = &p->hop[ternfib_hop_of(answer)];

	if (!h->kind) {
		if (ternfib_hop(p->t, answer, h))
			memset(h, 0, sizeof(*h));
		h->kind = h->kind ? h->kind : TERNFIB_REJECT;
	}
	return h;
}

/* fib_flow_look_once - look the @cnt addresses up, and put their facts into the caches.
 * Returns: true: answers and facts belong to the generation of the caches, or the image
 * has the other family. */
static bool
fib_flow_look_once(struct fib_flow_part *p, uint32_t cnt)
{
	int got = ternfib_poll(p->t);
	uint64_t generation = ternfib_generation(p->t);

	p->lost = got < 0 ? got : 0;
	if (ternfib_bits(p->t) != p->f->bits) {
		p->fault = FIB_FLOW_FAMILY;
		return true;
	}
	if (got > 0 || p->facts_of != generation) {
		memset(p->asn, 0xff, (size_t)sizeof(*p->asn) << 20);
		memset(p->hop, 0, sizeof(*p->hop) << 16);
		p->asn[0] = 0;
		p->facts_of = generation;
	}
	if (p->f->bits == 32)
		ternfib_bulk4(p->t, p->answer, p->number, cnt);
	else
		ternfib_bulk6(p->t, p->answer, p->addr, cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		p->answer[i] = p->none[i] ? 0 : p->answer[i];
		fib_flow_asn(p, p->answer[i]);
		fib_flow_hop(p, p->answer[i]);
	}
	return ternfib_generation(p->t) == generation;
}

/* fib_flow_look - look the @cnt addresses up. An index means another next hop in another
 * generation, and this process may have stood still for many generations. Returns:
 * false: p->fault. */
static bool
fib_flow_look(struct fib_flow_part *p, uint32_t cnt)
{
	while (!fib_flow_look_once(p, cnt))
		;
	return !p->fault;
}

/* ---- binary records ---- */

void
fib_flow_binary(struct fib_flow_part *p)
{
	const struct fib_cmd *c = p->f->c;
	size_t octets = p->f->bits / 8, pad = 16 - octets;
	size_t left = p->in_len / c->record;
	const char *in = p->in;
	char *out = p->out;

	while (left) {
		uint32_t cnt = left < FIB_FLOW_BATCH / 2 ? (uint32_t)left
							 : FIB_FLOW_BATCH / 2;

		for (uint32_t i = 0; i < cnt; i++) {
			const char *r = in + (size_t)i * c->record;

			if (pad) {
				p->number[2 * i] = get_be32((void *)(r + c->source));
				p->number[2 * i + 1] = get_be32(
				    (void *)(r + c->destination));
				continue;
			}
			memcpy(p->addr[2 * i], r + c->source, 16);
			memcpy(p->addr[2 * i + 1], r + c->destination, 16);
		}
		if (!fib_flow_look(p, 2 * cnt))
			break;
		for (uint32_t i = 0; i < cnt; i++) {
			const uint64_t *a = &p->answer[2 * i];
			uint32_t as[2] = { fib_flow_asn(p, a[0]), fib_flow_asn(p, a[1]) };

			memcpy(out, in, c->record);
			in += c->record;
			out += c->record;
			memcpy(out, as, sizeof(as));
			out += sizeof(as);
			memcpy(out, fib_flow_hop(p, a[0])->addr + pad, octets);
			memcpy(out + octets, fib_flow_hop(p, a[1])->addr + pad, octets);
			out += 2 * octets;
		}
		left -= cnt;
		p->records += cnt;
	}
	p->out_len = (size_t)(out - p->out);
}

/* ---- lines ---- */

/* fib_flow_number - an IPv4 address in the usual form, or false. */
static bool
fib_flow_number(const char *s, const char *end, uint32_t *out)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned n = 0, digits = 0;

		while (s < end && *s >= '0' && *s <= '9' && digits < 3) {
			n = n * 10 + (unsigned)(*s++ - '0');
			digits++;
		}
		if (!digits || n > 255 || (i < 3 && (s == end || *s++ != '.')))
			return false;
		v = v << 8 | n;
	}
	*out = v;
	return s == end;
}

/* fib_flow_address - store the address of a column as number @i of the batch. */
static void
fib_flow_address(struct fib_flow_part *p, uint32_t i, const char *s, const char *end)
{
	char text[IP_STR_MAX];
	struct ip_addr a;

	if (p->f->bits == 32) {
		p->none[i] = !fib_flow_number(s, end, &p->number[i]);
		return;
	}
	if ((size_t)(end - s) >= sizeof(text))
		return;
	memcpy(text, s, (size_t)(end - s));
	text[end - s] = 0;
	p->none[i] = ip_parse(&a, text) || ip_is_v4(a);
	if (!p->none[i])
		ip_put16((uint8_t *)p->addr[i], a);
}

/* fib_flow_columns - find the two columns of a line. */
static void
fib_flow_columns(struct fib_flow_part *p, uint32_t i, const struct fib_flow_text *line)
{
	const unsigned *want = p->f->c->csv;
	const char *s = line->at;

	p->number[i] = p->number[i + 1] = 0;
	memset(p->addr[i], 0, 32);
	p->none[i] = p->none[i + 1] = true;
	for (unsigned col = 1; s <= line->end; col++) {
		const char *comma = memchr(s, ',', (size_t)(line->end - s));
		const char *to = comma ? comma : line->end;

		if (col == want[0])
			fib_flow_address(p, i, s, to);
		if (col == want[1])
			fib_flow_address(p, i + 1, s, to);
		if (col >= want[0] && col >= want[1])
			return;
		s = to + 1;
	}
}

/* fib_flow_is_heading - true: the line has names. No address, of any family, lacks both
 * a digit and a colon. */
static bool
fib_flow_is_heading(const struct fib_flow_text *line)
{
	bool names = false;

	for (const char *s = line->at; s < line->end; s++) {
		if ((*s >= '0' && *s <= '9') || *s == ':')
			return false;
		names |= (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
	}
	return names;
}

/* fib_flow_split - the line at @s, with the addresses at number @i of the batch. @end:
 * the newline. */
static struct fib_flow_text
fib_flow_split(struct fib_flow_part *p, uint32_t i, const char *s, const char *end)
{
	struct fib_flow_text line = { .at = s, .cr = end > s && end[-1] == '\r' };

	line.end = end - line.cr;
	fib_flow_columns(p, i, &line);
	p->records++;
	if (!p->none[i] && !p->none[i + 1])
		return line;
	line.heading = !p->block && p->records == 1 && fib_flow_is_heading(&line);
	if (!line.heading && !p->bad++)
		p->bad_first = p->records;
	return line;
}

static char *
fib_flow_put_u32(char *to, uint32_t v)
{
	char digit[10];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*to++ = digit[--n];
	return to;
}

static char *
fib_flow_put_hop(char *to, const struct ternfib_hop *h)
{
	struct ip_addr a = ip_get16(h->addr);

	/* no address: the next hop is not in the image */
	if (h->kind != TERNFIB_IP || ip_is_none(a))
		return to;
	return ip_is_v4(a) ? ip4_put_str(to, ip_to_v4(a)) : ip6_put_str(to, a);
}

static char *
fib_flow_line(
    struct fib_flow_part *p, char *out, const struct fib_flow_text *line, uint32_t i)
{
	const uint64_t *a = &p->answer[i];
	size_t len = (size_t)(line->end - line->at);

	memcpy(out, line->at, len);
	out += len;
	if (line->heading) {
		memcpy(out, HEADING, sizeof(HEADING) - 1);
		out += sizeof(HEADING) - 1;
	} else {
		*out++ = ',';
		out = fib_flow_put_u32(out, fib_flow_asn(p, a[0]));
		*out++ = ',';
		out = fib_flow_put_u32(out, fib_flow_asn(p, a[1]));
		*out++ = ',';
		out = fib_flow_put_hop(out, fib_flow_hop(p, a[0]));
		*out++ = ',';
		out = fib_flow_put_hop(out, fib_flow_hop(p, a[1]));
	}
	if (line->cr)
		*out++ = '\r';
	*out++ = '\n';
	return out;
}

void
fib_flow_lines(struct fib_flow_part *p)
{
	const char *in = p->in, *end = in + p->in_len;
	struct fib_flow_text line[FIB_FLOW_BATCH / 2];
	char *out = p->out;

	while (in < end) {
		uint64_t before = p->records;
		uint32_t cnt = 0;

		for (; cnt < FIB_FLOW_BATCH / 2 && in < end; cnt++) {
			const char *stop = memchr(in, '\n', (size_t)(end - in));

			line[cnt] = fib_flow_split(p, 2 * cnt, in, stop);
			in = stop + 1;
		}
		if (!fib_flow_look(p, 2 * cnt)) {
			p->records = before;
			break;
		}
		for (uint32_t i = 0; i < cnt; i++)
			out = fib_flow_line(p, out, &line[i], 2 * i);
	}
	p->out_len = (size_t)(out - p->out);
}
