/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDUs of the RPKI-to-Router protocol.
 *
 * I1  The length is checked by type and version before a field is read.
 * I2  Choices of the receiver: host bits behind a prefix are cleared, as for prefixes of
 *     BGP; an ASPA with a list that is not ascending is refused (the draft, 5.12).
 * I3  The ASPA PDU of earlier drafts has a different form. After the header an
 *     announcement has one octet of flags, one octet of families, two octets with the
 *     number of providers, then the customer and the providers. Read in today's form the
 *     PDU is a withdrawal with providers, and the customer's highest octet holds the
 *     flags. No AS has such a number. tern refuses the PDU, so no ASPA from a cache of
 *     these drafts is used. Other withdrawals with providers are accepted without the
 *     providers: the RTR server of Routinator and RTRTR sends the customer's previous
 *     providers.
 *
 * No state; any thread. */
#include "lib/wire/rtr.h"

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/rbuf.h"

#include <stdio.h>

#define FLAG_ANNOUNCE 1

#define PROVIDERS_MAX 10000

#define LEN_PREFIX4  20
#define LEN_PREFIX6  32
#define LEN_KEY_MIN  32 /* subject key identifier and AS; the key follows */
#define LEN_ASPA_MIN 12
#define LEN_REPORT   16 /* an empty report */

/* Lengths by type; max 0: the length of the longest PDU. */
static const struct {
	uint8_t since; /* version */
	uint8_t min, max;
} lengths[RTR_TYPE_CNT] = {
	[RTR_SERIAL_NOTIFY] = { 0, 12, 12 },
	[RTR_SERIAL_QUERY] = { 0, 12, 12 },
	[RTR_RESET_QUERY] = { 0, 8, 8 },
	[RTR_CACHE_RESPONSE] = { 0, 8, 8 },
	[RTR_IPV4_PREFIX] = { 0, LEN_PREFIX4, LEN_PREFIX4 },
	[RTR_IPV6_PREFIX] = { 0, LEN_PREFIX6, LEN_PREFIX6 },
	[RTR_END_OF_DATA] = { 0, 12, 24 },
	[RTR_CACHE_RESET] = { 0, 8, 8 },
	[RTR_ROUTER_KEY] = { 1, LEN_KEY_MIN, 0 },
	[RTR_ERROR_REPORT] = { 0, LEN_REPORT, 0 },
	[RTR_ASPA] = { 2, LEN_ASPA_MIN, 0 },
};

static bool
rtr_wrong(struct rtr_fault *f, enum rtr_error e, const char *text)
{
	*f = (struct rtr_fault){ (uint16_t)e, text };
	return false;
}

/* ---- text ---- */

const char *
rtr_type_text(unsigned type)
{
	static const char *const text[] = {
#define X(name, num, t) [num] = (t),
		RTR_TYPE_TABLE(X)
#undef X
	};

	return type < ARRAY_LEN(text) && text[type] ? text[type] : "unknown";
}

const char *
rtr_error_text(unsigned error)
{
	static const char *const text[] = {
#define X(name, num, t) [num] = (t),
		RTR_ERROR_TABLE(X)
#undef X
	};

	return error < ARRAY_LEN(text) ? text[error] : "unknown error";
}

char *
rtr_report_text(char buf[RTR_TEXT_MAX], const struct rtr_pdu *p)
{
	unsigned len = (unsigned)snprintf(
	    buf, RTR_TEXT_MAX, "%s%s", rtr_error_text(p->error), p->text_len ? ": " : "");

	for (uint32_t i = 0; i < p->text_len && len + 1 < RTR_TEXT_MAX; i++) {
		uint8_t c = p->text[i];

		buf[len++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	buf[len] = '\0';
	return buf;
}

/* ---- decoding ---- */

int
rtr_frame(const uint8_t *p, size_t len, struct rtr_fault *fault)
{
	uint32_t want;

	if (len && p[0] > RTR_VERSION_MAX) {
		rtr_wrong(fault, RTR_E_VERSION, "unsupported version");
		return -1;
	}
	if (len < RTR_HDR_LEN)
		return 0;
	want = get_be32(p + 4);
	if (want < RTR_HDR_LEN || want > RTR_PDU_MAX) {
		rtr_wrong(fault, RTR_E_CORRUPT, "no PDU has that length");
		return -1;
	}
	return len < want ? 0 : (int)want;
}

static bool
rtr_decode_prefix(
    struct rbuf *r, struct rtr_pdu *o, enum family fam, struct rtr_fault *fault)
{
	unsigned bits = fam == FAM_IP4 ? 32 : 128, len, max;
	struct ip_addr a;

	o->announce = rbuf_u8(r) & FLAG_ANNOUNCE;
	len = rbuf_u8(r);
	max = rbuf_u8(r);
	rbuf_u8(r); /* reserved */
	if (fam == FAM_IP4) {
		a = ip4(rbuf_u32(r));
	} else {
		const uint8_t *p = rbuf_take(r, 16);

		a = (struct ip_addr){ .hi = get_be64(p), .lo = get_be64(p + 8) };
	}
	o->vrp.asn = rbuf_u32(r);
	if (len > max || max > bits)
		return rtr_wrong(fault, RTR_E_CORRUPT, "wrong length of a prefix");
	o->vrp.net = prefix_make(a, len, fam);
	o->vrp.max_len = (uint8_t)max;
	return true;
}

/* rtr_is_early - true for a withdrawal in the form of an early draft (I3). Announcements
 * of the drafts have flags 1 to 3 (one flag was the family once) and families 0 to 3. */
static bool
rtr_is_early(const struct rtr_pdu *o)
{
	uint32_t flags = o->vrp.asn >> 24, families = o->vrp.asn >> 16 & UINT8_MAX;

	return flags >= 1 && flags <= 3 && families <= 3 && o->provider_cnt > 0 &&
	       o->provider_cnt - 1 == (o->vrp.asn & UINT16_MAX);
}

static bool
rtr_decode_aspa(
    struct rbuf *r, unsigned flags, struct rtr_pdu *o, struct rtr_fault *fault)
{
	o->announce = flags & FLAG_ANNOUNCE;
	o->vrp.asn = rbuf_u32(r);
	o->provider_cnt = (uint32_t)rbuf_left(r) / 4;
	if (rbuf_left(r) % 4)
		return rtr_wrong(fault, RTR_E_CORRUPT, "wrong length of an ASPA");
	o->provider = rbuf_take(r, rbuf_left(r));
	if (!o->announce && !rtr_is_early(o))
		o->provider_cnt = 0;
	if (o->announce != (o->provider_cnt > 0) || o->provider_cnt > PROVIDERS_MAX)
		return rtr_wrong(fault, RTR_E_PROVIDERS,
		    "an ASPA with a wrong number of providers (of an earlier draft?)");
	for (uint32_t i = 1; i < o->provider_cnt; i++)
		if (rtr_provider(o, i - 1) >= rtr_provider(o, i))
			return rtr_wrong(fault, RTR_E_PROVIDERS,
			    "the providers of an ASPA aren't in order");
	return true;
}

static bool
rtr_decode_report(struct rbuf *r, struct rtr_pdu *o, struct rtr_fault *fault)
{
	o->about_len = rbuf_u32(r);
	o->about = rbuf_take(r, o->about_len);
	o->text_len = rbuf_u32(r);
	o->text = rbuf_take(r, o->text_len);
	if (!rbuf_done(r))
		return rtr_wrong(
		    fault, RTR_E_CORRUPT, "wrong lengths in an Error Report");
	return true;
}

/* rtr_length_ok - I1. */
static bool
rtr_length_ok(const struct rtr_pdu *o, uint32_t len, struct rtr_fault *fault)
{
	uint32_t max;

	if (o->version > RTR_VERSION_MAX)
		return rtr_wrong(fault, RTR_E_VERSION, "unsupported version");
	if (o->type >= RTR_TYPE_CNT || !lengths[o->type].min ||
	    lengths[o->type].since > o->version)
		return rtr_wrong(fault, RTR_E_TYPE, "unknown type of PDU");
	max = lengths[o->type].max ? lengths[o->type].max : RTR_PDU_MAX;
	if (len < lengths[o->type].min || len > max ||
	    (o->type == RTR_END_OF_DATA && len != (o->version ? 24 : 12)))
		return rtr_wrong(fault, RTR_E_CORRUPT, "wrong length for its type");
	return true;
}

bool
rtr_decode(const uint8_t *p, uint32_t len, struct rtr_pdu *o, struct rtr_fault *fault)
{
	struct rbuf r = rbuf_of(p, len);
	uint16_t word;

	memset(o, 0, sizeof(*o));
	o->version = rbuf_u8(&r);
	o->type = rbuf_u8(&r);
	word = rbuf_u16(&r);
	rbuf_u32(&r); /* the length */
	if (!rtr_length_ok(o, len, fault))
		return false;
	switch (o->type) {
	case RTR_SERIAL_NOTIFY:
	case RTR_SERIAL_QUERY:
		o->session = word;
		o->serial = rbuf_u32(&r);
		return true;
	case RTR_CACHE_RESPONSE:
		o->session = word;
		return true;
	case RTR_END_OF_DATA:
		o->session = word;
		o->serial = rbuf_u32(&r);
		if (o->version) {
			o->times.refresh = rbuf_u32(&r);
			o->times.retry = rbuf_u32(&r);
			o->times.expire = rbuf_u32(&r);
		}
		return true;
	case RTR_IPV4_PREFIX:
		return rtr_decode_prefix(&r, o, FAM_IP4, fault);
	case RTR_IPV6_PREFIX:
		return rtr_decode_prefix(&r, o, FAM_IP6, fault);
	case RTR_ROUTER_KEY:
		o->announce = word >> 8 & FLAG_ANNOUNCE;
		return true;
	case RTR_ASPA:
		return rtr_decode_aspa(&r, word >> 8, o, fault);
	case RTR_ERROR_REPORT:
		o->error = word;
		return rtr_decode_report(&r, o, fault);
	default: /* Reset Query, Cache Reset: nothing in them */
		return true;
	}
}

/* ---- encoding ---- */

static void
rtr_encode_prefix(struct wbuf *w, const struct rtr_pdu *p)
{
	uint8_t ip[16];

	wbuf_u8(w, p->announce ? FLAG_ANNOUNCE : 0);
	wbuf_u8(w, p->vrp.net.len);
	wbuf_u8(w, p->vrp.max_len);
	wbuf_u8(w, 0);
	if (p->type == RTR_IPV4_PREFIX) {
		wbuf_u32(w, ip_to_v4(p->vrp.net.addr));
	} else {
		put_be64(ip, p->vrp.net.addr.hi);
		put_be64(ip + 8, p->vrp.net.addr.lo);
		wbuf_bytes(w, ip, sizeof(ip));
	}
	wbuf_u32(w, p->vrp.asn);
}

static uint16_t
rtr_head_word(const struct rtr_pdu *p)
{
	switch (p->type) {
	case RTR_ERROR_REPORT:
		return p->error;
	case RTR_ASPA:
		return p->announce ? FLAG_ANNOUNCE << 8 : 0;
	default:
		return p->session;
	}
}

void
rtr_encode(struct wbuf *w, const struct rtr_pdu *p)
{
	uint8_t *start = w->pos;

	wbuf_u8(w, p->version);
	wbuf_u8(w, p->type);
	wbuf_u16(w, rtr_head_word(p));
	wbuf_u32(w, 0);
	switch (p->type) {
	case RTR_SERIAL_NOTIFY:
	case RTR_SERIAL_QUERY:
		wbuf_u32(w, p->serial);
		break;
	case RTR_END_OF_DATA:
		wbuf_u32(w, p->serial);
		if (!p->version)
			break;
		wbuf_u32(w, p->times.refresh);
		wbuf_u32(w, p->times.retry);
		wbuf_u32(w, p->times.expire);
		break;
	case RTR_IPV4_PREFIX:
	case RTR_IPV6_PREFIX:
		rtr_encode_prefix(w, p);
		break;
	case RTR_ASPA:
		wbuf_u32(w, p->vrp.asn);
		wbuf_bytes(w, p->provider, 4 * (size_t)p->provider_cnt);
		break;
	case RTR_ERROR_REPORT:
		wbuf_u32(w, p->about_len);
		wbuf_bytes(w, p->about, p->about_len);
		wbuf_u32(w, p->text_len);
		wbuf_bytes(w, p->text, p->text_len);
		break;
	default:
		break;
	}
	if (!w->bad)
		put_be32(start + 4, (uint32_t)(w->pos - start));
}
