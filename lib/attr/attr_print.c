/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as text. Tools parse these lines; names, blanks and line breaks
 * therefore equal the output of bird2's control socket.
 *
 * I1  No line is longer than LINE_MAX_LEN, whatever a peer sent: the control socket
 *     limits a line to 512 octets with the reply code.
 *
 * The file keeps no state; any thread may call the functions. */
#include "lib/attr/attr_print.h"

#include "lib/attr/aigp.h"
#include "lib/attr/as_path.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

#define LINE_MAX_LEN  500
#define TRUNC_LEN     489 /* where a value that doesn't fit in TRUNC_LEN + 3 ends */
#define HEX_TRUNC_LEN 493

static const char *
print_show_name(uint8_t code)
{
	switch (code) {
#define X(name, number, flags, filter_name, show)                                        \
	case number:                                                                     \
		return show;
		ATTR_TABLE(X)
#undef X
	default:
		return NULL;
	}
}

static void
print_ips(struct strbuf *b, const uint8_t *p, uint32_t len)
{
	char ip[IP_STR_MAX];

	for (uint32_t i = 0; i + 4 <= len; i += 4) {
		if (i)
			strbuf_addc(b, ' ');
		strbuf_adds(b, ip_str(ip, ip4(get_be32(p + i))));
	}
}

static void
print_next_hop(struct strbuf *b, const struct attr_item *it)
{
	char ip[IP_STR_MAX];

	if (it->len == 4)
		strbuf_adds(b, ip_str(ip, ip4(get_be32(it->val))));
	if (it->len == 16 && ip_is_link_local(ip_get16(it->val)))
		strbuf_adds(b, ":: "); /* no global next hop */
	if (it->len >= 16)
		strbuf_adds(b, ip_str(ip, ip_get16(it->val)));
	if (it->len >= 32 && !ip_is_none(ip_get16(it->val + 16))) {
		strbuf_addc(b, ' ');
		strbuf_adds(b, ip_str(ip, ip_get16(it->val + 16)));
	}
}

static void
print_aggregator(struct strbuf *b, const struct attr_item *it)
{
	char ip[IP_STR_MAX];

	if (it->len != 8)
		return;
	strbuf_addf(
	    b, "%s AS%u", ip_str(ip, ip4(get_be32(it->val + 4))), get_be32(it->val));
}

/* The metric of AIGP (RFC 7311, 3). */
static void
print_aigp(struct strbuf *b, const struct attr_item *it)
{
	const uint8_t *at = aigp_find(it->val, it->len);

	if (at)
		strbuf_addu64(b, get_be64(at));
}

static void
print_hex(struct strbuf *b, const struct attr_item *it)
{
	static const char digit[] = "0123456789abcdef";

	for (uint32_t i = 0; i < it->len; i++) {
		char text[3] = { ' ', digit[it->val[i] >> 4], digit[it->val[i] & 15] };

		strbuf_add(b, text + !i, 3u - !i);
	}
}

static void
print_origin(struct strbuf *b, const struct attr_item *it)
{
	static const char *const name[] = { "IGP", "EGP", "Incomplete" };

	strbuf_adds(
	    b, it->len == 1 && it->val[0] < ARRAY_LEN(name) ? name[it->val[0]] : "?");
}

static void
print_u32(struct strbuf *b, const struct attr_item *it)
{
	if (it->len == 4)
		strbuf_addu64(b, get_be32(it->val));
}

static bool
print_comm_kind_of(uint8_t code, enum comm_kind *k)
{
	*k = code == ATTR_COMMUNITY       ? COMM_STD
	     : code == ATTR_EXT_COMMUNITY ? COMM_EXT
					  : COMM_LARGE;
	return code == ATTR_COMMUNITY || code == ATTR_EXT_COMMUNITY ||
	       code == ATTR_LARGE_COMMUNITY;
}

/* attr_print_value - print the value of one attribute that is no list of communities, on
 * one line, without the name and without a limit of length. */
static void
attr_print_value(struct strbuf *b, const struct attr_item *it)
{
	switch (it->code) {
	case ATTR_ORIGIN:
		print_origin(b, it);
		break;
	case ATTR_AS_PATH:
		as_path_print(b, it->val, it->len);
		break;
	case ATTR_NEXT_HOP:
		print_next_hop(b, it);
		break;
	case ATTR_MED:
	case ATTR_LOCAL_PREF:
	case ATTR_OTC:
		print_u32(b, it);
		break;
	case ATTR_ATOMIC_AGGR:
		break;
	case ATTR_AGGREGATOR:
		print_aggregator(b, it);
		break;
	case ATTR_ORIGINATOR_ID:
	case ATTR_CLUSTER_LIST:
		print_ips(b, it->val, it->len);
		break;
	case ATTR_AIGP:
		print_aigp(b, it);
		break;
	default:
		print_hex(b, it);
		break;
	}
}

/* print_truncate_line - shorten a line that is longer than @at + 3 octets: the line ends
 * after the last whole word before @at, or at @at if no blank stands before @at, and
 * "..." follows. */
static void
print_truncate_line(struct strbuf *b, size_t at)
{
	size_t end = at;

	if (b->len <= at + 3)
		return;
	if (b->s[end] != ' ')
		while (end && b->s[end - 1] != ' ')
			end--;
	strbuf_truncate(b, end ? end : at);
	strbuf_adds(b, "...");
}

/* Community lists: whole elements on each line, no blank where a line ends. */
static void
attr_print_list(struct strbuf *b, enum comm_kind k, const struct attr_item *it,
    attr_line_fn fn, void *arg)
{
	unsigned size = comm_size(k);
	size_t reserve = k == COMM_STD ? 16 : 62; /* a blank and the longest element */
	bool first = true;

	for (uint32_t i = 0; i + size <= it->len; i += size) {
		if (b->len + reserve > LINE_MAX_LEN) {
			fn(arg, b->s);
			strbuf_reset(b);
			strbuf_adds(b, "\t\t");
			first = true;
		}
		if (!first)
			strbuf_addc(b, ' ');
		first = false;
		comm_print_one(b, k, comm_get(k, it->val + i));
	}
	fn(arg, b->s);
}

static void
print_item(struct strbuf *b, const struct attr_item *it, attr_line_fn fn, void *arg)
{
	const char *name = print_show_name(it->code);
	enum comm_kind k;

	strbuf_reset(b);
	if (name) { /* without a format: most of the costs of a short line */
		strbuf_addc(b, '\t');
		strbuf_adds(b, name);
		strbuf_adds(b, ": ");
	} else {
		strbuf_addf(b, "\tBGP.%02x [%s]: ", it->code,
		    it->flags & ATTR_F_TRANSITIVE ? "t" : "");
	}
	if (print_comm_kind_of(it->code, &k)) {
		attr_print_list(b, k, it, fn, arg);
		return;
	}
	attr_print_value(b, it);
	print_truncate_line(b, name ? TRUNC_LEN : HEX_TRUNC_LEN);
	fn(arg, b->s);
}

void
attr_print_item(const struct attr_item *it, attr_line_fn fn, void *arg)
{
	struct strbuf b;

	strbuf_init(&b);
	print_item(&b, it, fn, arg);
	strbuf_fini(&b);
}

void
attr_print_wire(const struct wire_set *w, attr_line_fn fn, void *arg)
{
	struct attr_item it;
	struct strbuf b;
	uint32_t pos = 0;

	strbuf_init(&b);
	while (attr_item_next(&it, w->data, w->len, &pos))
		print_item(&b, &it, fn, arg);
	strbuf_fini(&b);
}
