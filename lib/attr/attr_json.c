/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as JSON. Keys are the names of the attributes in filters.
 *
 * The file keeps no state; any thread may call the functions. */
#include "lib/attr/attr_json.h"

#include "lib/attr/aigp.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/community.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"

static const char *
attr_json_key_of(uint8_t code)
{
	switch (code) {
#define X(name, number, flags, filter_name, show)                                        \
	case number:                                                                     \
		return filter_name;
		ATTR_TABLE(X)
#undef X
	default:
		return NULL;
	}
}

/* attr_json_put_path - AS numbers; what isn't a sequence is an object in their place. */
static void
attr_json_put_path(struct json *j, const char *key, const struct attr_item *it)
{
	static const char *const kind[] = { [AS_SET] = "set",
		[AS_CONFED_SEQUENCE] = "confed_sequence",
		[AS_CONFED_SET] = "confed_set" };
	const uint8_t *p = it->val, *end = p + it->len;

	json_list(j, key);
	while (p + 2 <= end) {
		const char *as = p[0] < ARRAY_LEN(kind) ? kind[p[0]] : NULL;
		unsigned cnt = p[1];

		if (as) {
			json_open(j, NULL);
			json_list(j, as);
		}
		for (p += 2; cnt && p + 4 <= end; cnt--, p += 4)
			json_u64(j, NULL, get_be32(p));
		if (as) {
			json_close(j);
			json_close(j);
		}
	}
	json_close(j);
}

/* json_put_list - communities: their numbers; of extended ones the text of the language.
 */
static void
json_put_list(
    struct json *j, const char *key, const struct attr_item *it, enum comm_kind k)
{
	unsigned size = comm_size(k);
	struct strbuf b;

	strbuf_init(&b);
	json_list(j, key);
	for (uint32_t i = 0; i + size <= it->len; i += size) {
		struct comm c = comm_get(k, it->val + i);

		if (k == COMM_EXT) {
			strbuf_reset(&b);
			comm_print_one(&b, k, c);
			json_text(j, NULL, b.s, b.len);
			continue;
		}
		json_list(j, NULL);
		for (unsigned n = 0; n < size / 4 + (k == COMM_STD); n++)
			json_u64(j, NULL, c.v[n]);
		json_close(j);
	}
	json_close(j);
	strbuf_fini(&b);
}

/* attr_json_put_next_hop - write the next hop, or the global and the link-local next
 * hop. */
static void
attr_json_put_next_hop(struct json *j, const char *key, const struct attr_item *it)
{
	json_list(j, key);
	if (it->len == 4)
		json_ip(j, NULL, ip4(get_be32(it->val)));
	for (uint32_t i = 0; i + 16 <= it->len; i += 16)
		if (!ip_is_none(ip_get16(it->val + i)))
			json_ip(j, NULL, ip_get16(it->val + i));
	json_close(j);
}

static void
json_put_ips(struct json *j, const char *key, const struct attr_item *it)
{
	json_list(j, key);
	for (uint32_t i = 0; i + 4 <= it->len; i += 4)
		json_ip(j, NULL, ip4(get_be32(it->val + i)));
	json_close(j);
}

static void
attr_json_put_aggregator(struct json *j, const char *key, const struct attr_item *it)
{
	if (it->len != 8)
		return;
	json_open(j, key);
	json_u64(j, "as", get_be32(it->val));
	json_ip(j, "address", ip4(get_be32(it->val + 4)));
	json_close(j);
}

static void
attr_json_put_origin(struct json *j, const char *key, const struct attr_item *it)
{
	static const char *const name[] = { "igp", "egp", "incomplete" };

	if (it->len == 1)
		json_str(j, key, name[it->val[0] < 2 ? it->val[0] : 2]);
}

static void
json_put_aigp(struct json *j, const char *key, const struct attr_item *it)
{
	const uint8_t *at = aigp_find(it->val, it->len);

	if (at)
		json_u64(j, key, get_be64(at));
}

static void
json_put_named(struct json *j, const char *key, const struct attr_item *it)
{
	switch (it->code) {
	case ATTR_ORIGIN:
		attr_json_put_origin(j, key, it);
		break;
	case ATTR_AS_PATH:
		attr_json_put_path(j, key, it);
		break;
	case ATTR_NEXT_HOP:
		attr_json_put_next_hop(j, key, it);
		break;
	case ATTR_ATOMIC_AGGR:
		json_bool(j, key, true);
		break;
	case ATTR_AGGREGATOR:
		attr_json_put_aggregator(j, key, it);
		break;
	case ATTR_COMMUNITY:
		json_put_list(j, key, it, COMM_STD);
		break;
	case ATTR_EXT_COMMUNITY:
		json_put_list(j, key, it, COMM_EXT);
		break;
	case ATTR_LARGE_COMMUNITY:
		json_put_list(j, key, it, COMM_LARGE);
		break;
	case ATTR_ORIGINATOR_ID: /* one address */
		if (it->len == 4)
			json_ip(j, key, ip4(get_be32(it->val)));
		break;
	case ATTR_CLUSTER_LIST:
		json_put_ips(j, key, it);
		break;
	case ATTR_AIGP:
		json_put_aigp(j, key, it);
		break;
	default: /* MED, LOCAL_PREF, OTC */
		if (it->len == 4)
			json_u64(j, key, get_be32(it->val));
	}
}

static void
attr_json_put_other(struct json *j, const struct attr_item *it)
{
	static const char digit[] = "0123456789abcdef";
	struct strbuf b;

	strbuf_init(&b);
	for (uint32_t i = 0; i < it->len; i++) {
		strbuf_addc(&b, digit[it->val[i] >> 4]);
		strbuf_addc(&b, digit[it->val[i] & 15]);
	}
	json_open(j, NULL);
	json_u64(j, "code", it->code);
	json_bool(j, "transitive", it->flags & ATTR_F_TRANSITIVE);
	json_bool(j, "partial", it->flags & ATTR_F_PARTIAL);
	json_text(j, "value_hex", b.s, b.len);
	json_close(j);
	strbuf_fini(&b);
}

void
attr_json_wire(struct json *j, const struct wire_set *w)
{
	struct attr_item it;
	uint32_t pos = 0;
	bool others = false;

	while (attr_item_next(&it, w->data, w->len, &pos)) {
		const char *key = attr_json_key_of(it.code);

		if (key)
			json_put_named(j, key, &it);
		others |= !key;
	}
	if (!others)
		return;
	json_list(j, "other");
	for (pos = 0; attr_item_next(&it, w->data, w->len, &pos);)
		if (!attr_json_key_of(it.code))
			attr_json_put_other(j, &it);
	json_close(j);
}
