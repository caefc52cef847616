/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding and decoding of BFD control packets (bfd.h). No state; any thread. Tested by
 * test/unit/test_bfd.c. */
#include "lib/wire/bfd.h"

#include "lib/crypto/digest.h"
#include "lib/wire/rbuf.h"

#define AUTH_HEAD     3 /* type, length, key id */
#define AUTH_SEQ_LEN  5 /* reserved, sequence number */
#define AUTH_SECRET   (BFD_LEN_MIN + AUTH_HEAD + AUTH_SEQ_LEN)
#define AUTH_LEN(dig) (AUTH_HEAD + AUTH_SEQ_LEN + (dig))

/* bfd_digest_len - 0: a type without one. */
static unsigned
bfd_digest_len(unsigned type)
{
	switch (type) {
	case BFD_AUTH_MD5:
	case BFD_AUTH_MET_MD5:
		return MD5_LEN;
	case BFD_AUTH_SHA1:
	case BFD_AUTH_MET_SHA1:
		return SHA1_LEN;
	default:
		return 0;
	}
}

/* bfd_take_auth - the section is @r and nothing else. Returns: false: it is malformed. */
static bool
bfd_take_auth(struct rbuf *r, struct bfd_packet *p)
{
	size_t all = rbuf_left(r);
	unsigned len, dig;

	p->auth_type = rbuf_u8(r);
	len = rbuf_u8(r);
	if (!rbuf_ok(r) || len < 2 || len > all || p->auth_type == BFD_AUTH_NONE)
		return false;
	dig = bfd_digest_len(p->auth_type);
	if (p->auth_type != BFD_AUTH_SIMPLE && !dig)
		return true;
	p->key_id = rbuf_u8(r);
	if (dig) {
		if (len != AUTH_LEN(dig))
			return false;
		rbuf_u8(r);
		p->seq = rbuf_u32(r);
	} else {
		dig = len < AUTH_HEAD ? 0 : len - AUTH_HEAD;
		if (!dig || dig > BFD_MD5_KEY)
			return false;
		p->key_len = (uint8_t)dig;
	}
	p->secret = rbuf_take(r, dig);
	return rbuf_ok(r);
}

static enum bfd_fault
bfd_check(const struct bfd_packet *p)
{
	if (!p->mult)
		return BFD_FAULT_MULT;
	if (p->flags & BFD_MULTIPOINT)
		return BFD_FAULT_MULTIPOINT;
	if (!p->mine)
		return BFD_FAULT_MINE;
	if (!p->yours && p->state != BFD_DOWN && p->state != BFD_ADMIN_DOWN)
		return BFD_FAULT_YOURS;
	return BFD_FAULT_NONE;
}

enum bfd_fault
bfd_decode(const uint8_t *octets, size_t len, struct bfd_packet *p)
{
	struct rbuf r = rbuf_of(octets, len);
	uint8_t head = rbuf_u8(&r), state = rbuf_u8(&r), stated;

	memset(p, 0, sizeof(*p));
	p->diag = head & 31;
	p->state = state >> 6;
	p->flags = state & 0x3f;
	p->mult = rbuf_u8(&r);
	stated = rbuf_u8(&r);
	p->mine = rbuf_u32(&r);
	p->yours = rbuf_u32(&r);
	p->min_tx_us = rbuf_u32(&r);
	p->min_rx_us = rbuf_u32(&r);
	p->min_echo_us = rbuf_u32(&r);
	if (!rbuf_ok(&r))
		return BFD_FAULT_SHORT;
	if (head >> 5 != BFD_VERSION)
		return BFD_FAULT_VERSION;
	if (stated < BFD_LEN_MIN + (p->flags & BFD_HAS_AUTH ? 2 : 0) || stated > len)
		return BFD_FAULT_LENGTH;
	if (p->flags & BFD_HAS_AUTH) {
		r = rbuf_of(octets + BFD_LEN_MIN, stated - BFD_LEN_MIN);
		if (!bfd_take_auth(&r, p))
			return BFD_FAULT_AUTH;
	}
	return bfd_check(p);
}

static void
bfd_sign(uint8_t *out, const uint8_t *octets, size_t len, unsigned type)
{
	if (bfd_digest_len(type) == MD5_LEN)
		md5(out, octets, len);
	else
		sha1(out, octets, len);
}

bool
bfd_auth_good(const struct bfd_packet *p, const uint8_t *octets, const struct bfd_key *k)
{
	unsigned dig = bfd_digest_len(p->auth_type),
		 used = (unsigned)min_u64(k->len, bfd_auth_key_max(p->auth_type));
	uint8_t buf[UINT8_MAX], want[SHA1_LEN];

	if (!dig)
		return p->key_len == used && digest_same(p->secret, k->octet, used);
	/* the length that the packet states: the digest covers all of these octets */
	memcpy(buf, octets, octets[3]);
	memset(buf + AUTH_SECRET, 0, dig);
	memcpy(buf + AUTH_SECRET, k->octet, used);
	bfd_sign(want, buf, octets[3], p->auth_type);
	explicit_bzero(buf, sizeof(buf));
	return digest_same(want, p->secret, dig);
}

static void
bfd_put_auth(struct wbuf *w, const struct bfd_packet *p, const struct bfd_key *k)
{
	unsigned dig = bfd_digest_len(p->auth_type),
		 used = (unsigned)min_u64(k->len, bfd_auth_key_max(p->auth_type));
	uint8_t buf[SHA1_LEN] = { 0 };

	wbuf_u8(w, p->auth_type);
	wbuf_u8(w, (uint8_t)(dig ? AUTH_LEN(dig) : AUTH_HEAD + used));
	wbuf_u8(w, p->key_id);
	if (dig) {
		wbuf_u8(w, 0);
		wbuf_u32(w, p->seq);
	}
	memcpy(buf, k->octet, used);
	wbuf_bytes(w, buf, dig ? dig : used);
	explicit_bzero(buf, sizeof(buf));
}

void
bfd_encode(struct wbuf *w, const struct bfd_packet *p, const struct bfd_key *k)
{
	uint8_t *start = w->pos, digest[SHA1_LEN];
	unsigned dig = bfd_digest_len(p->auth_type);

	wbuf_u8(w, (uint8_t)(BFD_VERSION << 5 | p->diag));
	wbuf_u8(w, (uint8_t)(p->state << 6 | (p->flags & ~BFD_HAS_AUTH) |
			     (p->auth_type ? BFD_HAS_AUTH : 0)));
	wbuf_u8(w, p->mult);
	wbuf_u8(w, 0);
	wbuf_u32(w, p->mine);
	wbuf_u32(w, p->yours);
	wbuf_u32(w, p->min_tx_us);
	wbuf_u32(w, p->min_rx_us);
	wbuf_u32(w, p->min_echo_us);
	if (p->auth_type)
		bfd_put_auth(w, p, k);
	if (w->bad)
		return;
	start[3] = (uint8_t)(w->pos - start);
	if (dig) {
		bfd_sign(digest, start, (size_t)(w->pos - start), p->auth_type);
		memcpy(start + AUTH_SECRET, digest, dig);
	}
}

#define STATE_TEXT(name, num, text)   [num] = (text),
#define TEXT(name, num, text, title)  [num] = (text),
#define TITLE(name, num, text, title) [num] = (title),

const char *
bfd_state_text(unsigned state)
{
	static const char *const text[] = { BFD_WIRE_STATE_TABLE(STATE_TEXT) };

	return state < ARRAY_LEN(text) ? text[state] : "Unknown";
}

const char *
bfd_diag_text(unsigned diag)
{
	static const char *const text[] = { BFD_DIAG_TABLE(TEXT) };

	return diag < ARRAY_LEN(text) ? text[diag] : "Unknown";
}

const char *
bfd_diag_title(unsigned diag)
{
	static const char *const title[] = { BFD_DIAG_TABLE(TITLE) };

	return diag < ARRAY_LEN(title) ? title[diag] : "Unknown";
}

const char *
bfd_auth_title(unsigned type)
{
	static const char *const title[] = { BFD_AUTH_TABLE(TITLE) };

	return type < ARRAY_LEN(title) ? title[type] : "Unknown";
}

const char *
bfd_auth_text(unsigned type)
{
	static const char *const text[] = { BFD_AUTH_TABLE(TEXT) };

	return type < ARRAY_LEN(text) ? text[type] : "unknown";
}

const char *
bfd_fault_text(enum bfd_fault f)
{
	static const char *const text[] = {
#define X(name, t) [BFD_FAULT_##name] = (t),
		BFD_FAULT_TABLE(X)
#undef X
	};

	return text[f];
}
