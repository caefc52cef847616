/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NOTIFICATION, and its text for people. The log shows the peer's text but does not trust
 * the text: the text is checked as UTF-8 and stripped of control characters, so that a
 * log line stays one line.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_notify.h"

#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"
#include <stdio.h>

#define HEX_MAX 16 /* octets of data that are shown in hex */

bool
bgp_notify_decode(const uint8_t *body, size_t len, struct bgp_notify *out)
{
	struct rbuf r = rbuf_of(body, len);

	out->code = rbuf_u8(&r);
	out->subcode = rbuf_u8(&r);
	out->data = r.pos;
	out->data_len = (uint16_t)rbuf_left(&r);
	return rbuf_ok(&r);
}

void
bgp_notify_encode(struct wbuf *w, const struct bgp_notify *n)
{
	uint8_t *start = bgp_msg_start(w, BGP_NOTIFICATION);
	unsigned max = BGP_MSG_MAX - BGP_HDR_LEN - 2;

	wbuf_u8(w, n->code);
	wbuf_u8(w, n->subcode);
	wbuf_bytes(w, n->data, n->data_len < max ? n->data_len : max);
	bgp_msg_finish(w, start);
}

struct bgp_notify
bgp_notify_wrap(uint8_t *to, const struct bgp_notify *n)
{
	to[0] = n->code;
	to[1] = n->subcode;
	if (n->data_len)
		memcpy(to + 2, n->data, n->data_len);
	return (struct bgp_notify){ BGP_E_CEASE, BGP_EC_HARD_RESET,
		(uint16_t)(n->data_len + 2), to };
}

bool
bgp_notify_unwrap(struct bgp_notify *n)
{
	const uint8_t *data = n->data;

	if (n->code != BGP_E_CEASE || n->subcode != BGP_EC_HARD_RESET)
		return false;
	if (n->data_len >= 2)
		*n = (struct bgp_notify){ data[0], data[1], (uint16_t)(n->data_len - 2),
			data + 2 };
	return true;
}

/* Octets of the UTF-8 character at @p (RFC 3629, 4); 0: it isn't one. */
static unsigned
bgp_notify_utf8_len(const uint8_t *p, size_t left)
{
	unsigned len = p[0] < 0x80   ? 1
		       : p[0] < 0xc2 ? 0
		       : p[0] < 0xe0 ? 2
		       : p[0] < 0xf0 ? 3
				     : 4;

	if (!len || len > left || p[0] > 0xf4)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

uint16_t
bgp_shutdown_put(uint8_t *to, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t left = strlen(text), len = 0;

	while (len < left) {
		unsigned n = bgp_notify_utf8_len(p + len, left - len), step = n ? n : 1;

		if (len + step > BGP_SHUTDOWN_MAX)
			break;
		if (n)
			memcpy(to + 1 + len, p + len, n);
		else
			to[1 + len] = '?';
		len += step;
	}
	if (!len)
		return 0;
	to[0] = (uint8_t)len;
	return (uint16_t)(len + 1);
}

uint8_t
bgp_limit_put(uint8_t *to, enum family fam, uint32_t max)
{
	put_be16(to, family_afi(fam));
	to[2] = family_safi(fam);
	put_be32(to + 3, max);
	return BGP_LIMIT_DATA;
}

/* notify_is_control - true for a character that ends a line, moves the cursor, begins an
 * escape sequence, or changes the direction of the text behind: C0, C1, U+061C, U+200E,
 * U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool
notify_is_control(const uint8_t *p, unsigned len)
{
	if (len == 1)
		return p[0] < 0x20 || p[0] == 0x7f;
	if (len == 2)
		return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
	if (len != 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80)
		return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

static char *
bgp_notify_put_text(char *to, const uint8_t *p, size_t left)
{
	while (left) {
		unsigned len = bgp_notify_utf8_len(p, left), step = len ? len : 1;

		if (!len || notify_is_control(p, len)) {
			*to++ = '?';
		} else {
			memcpy(to, p, len);
			to += len;
		}
		p += step;
		left -= step;
	}
	return to;
}

char *
bgp_text_clean(char *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	ASSERT(len < size);
	*bgp_notify_put_text(to, (const uint8_t *)text, len) = 0;
	return to;
}

static char *
notify_put_hex(char *to, const uint8_t *p, size_t len)
{
	size_t shown = len < HEX_MAX ? len : HEX_MAX;

	for (size_t i = 0; i < shown; i++)
		to += sprintf(to, "%02x", p[i]);
	if (shown < len)
		to += sprintf(to, "...");
	return to;
}

/* Cease 2 and 4 with a well-formed communication, and nothing behind it (RFC 9003, 2). */
static bool
notify_has_shutdown_text(const struct bgp_notify *n)
{
	if (n->code != BGP_E_CEASE)
		return false;
	if (n->subcode != BGP_EC_ADMIN_SHUTDOWN && n->subcode != BGP_EC_ADMIN_RESET)
		return false;
	return n->data_len >= 2 && n->data[0] == n->data_len - 1;
}

/* notify_put_limit - Returns: its end, or NULL: the data is something else. */
static char *
notify_put_limit(char *to, const struct bgp_notify *n)
{
	uint8_t fam;

	if (n->code != BGP_E_CEASE || n->subcode != BGP_EC_PREFIX_LIMIT ||
	    n->data_len != BGP_LIMIT_DATA ||
	    !family_find(&fam, get_be16(n->data), n->data[2]))
		return NULL;
	return to + sprintf(to, ": %u (%s)", get_be32(n->data + 3),
			family_name((enum family)fam));
}

char *
bgp_notify_text(char buf[BGP_NOTIFY_TEXT_MAX], const struct bgp_notify *n)
{
	struct bgp_notify inner = *n;
	char *to = buf, *limit;

	if (bgp_notify_unwrap(&inner) && inner.data != n->data) {
		to += sprintf(to, "%s: ", bgp_err_text(n->code, n->subcode));
		n = &inner;
	}
	to += sprintf(to, "%s", bgp_err_text(n->code, n->subcode));
	if (n->code < BGP_E_HEADER || n->code > BGP_E_SEND_HOLD)
		to += sprintf(to, " %u.%u", n->code, n->subcode);
	if (notify_has_shutdown_text(n)) {
		to += sprintf(to, ": \"");
		to = bgp_notify_put_text(to, n->data + 1, n->data[0]);
		*to++ = '"';
	} else if (n->code == BGP_E_OPEN && n->subcode == BGP_EO_PEER_AS &&
		   n->data_len == 2) {
		to += sprintf(to, ": %u", get_be16(n->data));
	} else if (n->code == BGP_E_OPEN && n->subcode == BGP_EO_PEER_AS &&
		   n->data_len == 4) {
		to += sprintf(to, ": %u", get_be32(n->data));
	} else if ((limit = notify_put_limit(to, n)) != NULL) {
		to = limit;
	} else if (n->data_len &&
		   (n->code != BGP_E_CEASE || n->data_len > 1 || n->data[0])) {
		to += sprintf(to, ": ");
		to = notify_put_hex(to, n->data, n->data_len);
	}
	*to = 0;
	return buf;
}
