/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected MAC addresses: an array of entries in the order of the addresses.
 *
 * A file without a line end after the last entry is refused: the file may be cut off
 * within an address.
 *
 * No state; any thread. Tested by test/unit/test_lan_macs.c. */
#include "nest/conf/file/lan_macs.h"

#include "filter/lang/diag.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lan_macs {
	struct lan_mac *at; /* ascending by addr, then by mac */
	uint32_t cnt;
};

static int
lan_mac_order(const void *a, const void *b)
{
	const struct lan_mac *x = a, *y = b;
	int d = ip_cmp(x->addr, y->addr);

	return d ? d : memcmp(x->mac, y->mac, MAC_LEN);
}

static size_t
lan_macs_word(const char *p, const char *end)
{
	size_t len = 0;

	while (p + len < end && !isspace((unsigned char)p[len]))
		len++;
	return len;
}

static const char *
lan_macs_skip(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* lan_macs_read_mac - 12 hexadecimal digits; between them ':', '-' or '.'. Returns:
 * false: no MAC address. */
static bool
lan_macs_read_mac(const char *p, size_t len, uint8_t mac[MAC_LEN])
{
	unsigned digits = 0;

	memset(mac, 0, MAC_LEN);
	for (size_t i = 0; i < len; i++) {
		char c = p[i];

		if ((c == ':' || c == '-' || c == '.') && digits && i + 1 < len)
			continue;
		if (!isxdigit((unsigned char)c) || digits == 2 * MAC_LEN)
			return false;
		c = (char)tolower((unsigned char)c);
		mac[digits / 2] = (uint8_t)(mac[digits / 2] << 4 |
					    (c <= '9' ? c - '0' : c - 'a' + 10));
		digits++;
	}
	/* a group address belongs to no router */
	return digits == 2 * MAC_LEN && !(mac[0] & 1);
}

/* lan_macs_read_line - read the entry of a line without its comment. Returns: where an
 * error is; NULL: none. */
static const char *
lan_macs_read_line(struct lan_mac *e, const char *p, const char *end, const char **what)
{
	char text[IP_STR_MAX];
	size_t len = lan_macs_word(p, end);

	*what = "an IP address";
	if (len >= sizeof(text) || memchr(p, 0, len))
		return p;
	memcpy(text, p, len);
	text[len] = 0;
	if (ip_parse(&e->addr, text) || !ip_is_host(e->addr))
		return p;
	p = lan_macs_skip(p + len, end);
	len = lan_macs_word(p, end);
	*what = "a MAC address, as 02:00:00:00:00:01";
	if (!lan_macs_read_mac(p, len, e->mac))
		return p;
	p = lan_macs_skip(p + len, end);
	*what = "the end of the line";
	return p < end ? p : NULL;
}

/* The entries so far. On the stack of lan_macs_parse. */
struct lan_macs_in {
	struct lan_mac *at;
	uint32_t cnt, cap;
	bool wrong; /* a line has an error */
};

/* lan_macs_add_line - read the line from @p to @end. */
static void
lan_macs_add_line(struct lan_macs_in *in, struct src_pos pos, const char *p,
    const char *end, struct diag *d)
{
	const char *hash = memchr(p, '#', (size_t)(end - p)), *stop = hash ? hash : end;
	const char *from = lan_macs_skip(p, stop), *what, *bad;
	struct lan_mac e;

	if (from == stop)
		return;
	bad = lan_macs_read_line(&e, from, stop, &what);
	if (bad) {
		pos.col = (uint32_t)(bad - p) + 1;
		diag_error(d, pos, "expected %s", what);
		in->wrong = true;
		return;
	}
	in->at = vec_room(MEM_CONFIG, in->at, &in->cap, in->cnt + 1, sizeof(*in->at));
	in->at[in->cnt++] = e;
}

struct lan_macs *
lan_macs_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	struct lan_macs *m = arena_alloc(a, sizeof(*m));
	struct src_pos pos = { path, 0, 1 };
	struct lan_macs_in in = { 0 };

	for (size_t at = 0, next; at < len; at = next) {
		const char *p = text + at, *end = memchr(p, '\n', len - at);

		pos.line++;
		if (!end) {
			pos.col = (uint32_t)(len - at) + 1;
			diag_error(d, pos, "the last line has no line end");
			in.wrong = true;
			break;
		}
		lan_macs_add_line(&in, pos, p, end, d);
		next = (size_t)(end + 1 - text);
	}
	if (!in.cnt && !in.wrong) {
		diag_error(d, (struct src_pos){ path, 1, 1 },
		    "expected an IP address and a MAC address: the file has no entry");
		in.wrong = true;
	}
	m->at = arena_alloc(a, (in.cnt + 1) * sizeof(*m->at));
	m->cnt = in.cnt;
	if (in.cnt) {
		qsort(in.at, in.cnt, sizeof(*in.at), lan_mac_order);
		memcpy(m->at, in.at, in.cnt * sizeof(*in.at));
	}
	mem_free(MEM_CONFIG, in.at);
	return in.wrong ? NULL : m;
}

/* lan_macs_first - the first entry that is not before @addr. */
static uint32_t
lan_macs_first(const struct lan_macs *m, struct ip_addr addr)
{
	uint32_t low = 0, high = m->cnt;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (ip_cmp(m->at[mid].addr, addr) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t
lan_macs_cnt(const struct lan_macs *m)
{
	return m->cnt;
}

const struct lan_mac *
lan_macs_at(const struct lan_macs *m, uint32_t i)
{
	return &m->at[i];
}

bool
lan_macs_index(const struct lan_macs *m, struct ip_addr addr, uint32_t *i)
{
	*i = lan_macs_first(m, addr);
	return *i < m->cnt && ip_equal(m->at[*i].addr, addr);
}

const uint8_t *
lan_macs_find(const struct lan_macs *m, struct ip_addr addr)
{
	uint32_t i;

	return lan_macs_index(m, addr, &i) ? m->at[i].mac : NULL;
}

bool
lan_macs_has(const struct lan_macs *m, struct ip_addr addr, const uint8_t mac[MAC_LEN])
{
	for (uint32_t i = lan_macs_first(m, addr);
	     i < m->cnt && ip_equal(m->at[i].addr, addr); i++)
		if (!memcmp(m->at[i].mac, mac, MAC_LEN))
			return true;
	return false;
}

struct ip_addr
lan_macs_owner(const struct lan_macs *m, const uint8_t mac[MAC_LEN])
{
	for (uint32_t i = 0; i < m->cnt; i++)
		if (!memcmp(m->at[i].mac, mac, MAC_LEN))
			return m->at[i].addr;
	return IP_NONE;
}

const char *
lan_mac_str(char out[MAC_STR_MAX], const uint8_t mac[MAC_LEN])
{
	snprintf(out, MAC_STR_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
	    mac[2], mac[3], mac[4], mac[5]);
	return out;
}
