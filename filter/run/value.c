/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints and compares values of filters. Pure functions; any thread. */
#include "filter/run/value.h"
#include "filter/rpki.h"
#include "filter/value/elem.h"
#include "filter/run/net.h"
#include "filter/set/mask.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/attr/as_path.h"
#include "lib/attr/community.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

static void
value_print_list(struct strbuf *b, const struct fvalue *v)
{
	strbuf_addf(b, "(%s ", v->type == T_PATH ? "path" : ftype_name(v->type));
	fvalue_show(b, v);
	strbuf_addc(b, ')');
}

static void
value_print_bytes(struct strbuf *b, const struct fvalue *v)
{
	uint32_t i;

	for (i = 0; i < v->len; i++)
		strbuf_addf(b, i ? ":%02x" : "%02x", v->octets[i]);
}

void
fvalue_print(struct strbuf *b, const struct fvalue *v)
{
	char buf[PREFIX_STR_MAX];
	struct prefix p;

	switch (v->type) {
	case T_VOID:
		strbuf_adds(b, "(void)");
		return;
	case T_STRING:
		strbuf_adds(b, v->str);
		return;
	case T_BYTES:
		value_print_bytes(b, v);
		return;
	case T_PREFIX:
		if (fvalue_is_net(v)) {
			fnet_print(b, v->net);
			return;
		}
		p = fvalue_to_prefix(v);
		strbuf_adds(b, prefix_str(buf, &p));
		return;
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		value_print_list(b, v);
		return;
	case T_PATH_MASK:
		mask_print(b, v->mask);
		return;
	case T_TABLE:
		strbuf_adds(b, v->table->name);
		return;
	default:
		if (ftype_is_set(v->type))
			fset_print(b, v->set);
		else
			elem_print(b, v);
	}
}

/* value_format_enum - the numbers are those of BIRD 3.3.2. Types that BIRD lacks have
 * none. */
static void
value_format_enum(struct strbuf *b, const struct fvalue *v)
{
	static const uint8_t nr[FTYPE_CNT] = {
		[T_ENUM_ORIGIN] = 0x13,
		[T_ENUM_RA_PREF] = 0x15,
		[T_ENUM_KBR_SRC] = 0x29,
		[T_ENUM_EVPN] = 0x2d,
		[T_ENUM_ASPA] = 0x2f,
		[T_ENUM_RTS] = 0x31,
		[T_ENUM_SCOPE] = 0x33,
		[T_ENUM_MPLS_POLICY] = 0x35,
		[T_ENUM_RTD] = 0x37,
		[T_ENUM_ROA] = 0x39,
		[T_ENUM_NETTYPE] = 0x3b,
		[T_ENUM_AF] = 0x3d,
	};

	if (nr[v->type])
		strbuf_addf(b, "(enum %x)%u", nr[v->type], v->i);
	else
		elem_print(b, v);
}

void
fvalue_format(struct strbuf *b, const struct fvalue *v)
{
	if (ftype_is_set(v->type))
		fset_format(b, v->set, value_format_enum);
	else if (ftype_is_enum(v->type))
		value_format_enum(b, v);
	else
		fvalue_print(b, v);
}

void
fvalue_show(struct strbuf *b, const struct fvalue *v)
{
	switch (v->type) {
	case T_PATH:
		as_path_print(b, v->octets, v->len);
		return;
	case T_CLIST:
		comm_print(b, COMM_STD, v->octets, v->len);
		return;
	case T_ECLIST:
		comm_print(b, COMM_EXT, v->octets, v->len);
		return;
	case T_LCLIST:
		comm_print(b, COMM_LARGE, v->octets, v->len);
		return;
	default:
		fvalue_print(b, v);
	}
}

static int
value_cmp_octets(const struct fvalue *a, const struct fvalue *b)
{
	uint32_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->octets, b->octets, n) : 0;

	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

static int
value_cmp_words(const uint32_t *a, const uint32_t *b, unsigned n)
{
	for (; n; a++, b++, n--)
		if (*a != *b)
			return *a < *b ? -1 : 1;
	return 0;
}

static int
value_cmp_nets(const struct fvalue *a, const struct fvalue *b)
{
	struct prefix p, q;

	if (!fvalue_is_net(a) && !fvalue_is_net(b)) {
		p = fvalue_to_prefix(a);
		q = fvalue_to_prefix(b);
		return prefix_cmp(&p, &q);
	}
	if (fvalue_kind(a) != fvalue_kind(b))
		return fvalue_kind(a) < fvalue_kind(b) ? -1 : 1;
	return fnet_cmp(a->net, b->net);
}

bool
fvalue_cmp(int *out, const struct fvalue *a, const struct fvalue *b)
{
	if (a->type != b->type) {
		/* router ids are written as addresses */
		if (a->type == T_QUAD && b->type == T_IP && ip_is_v4(b->ip))
			*out = a->i < ip_to_v4(b->ip) ? -1 : a->i > ip_to_v4(b->ip);
		else if (a->type == T_IP && b->type == T_QUAD && ip_is_v4(a->ip))
			*out = ip_to_v4(a->ip) < b->i ? -1 : ip_to_v4(a->ip) > b->i;
		else
			return false;
		return true;
	}
	switch (a->type) {
	case T_INT:
	case T_BOOL:
	case T_QUAD:
		*out = a->i < b->i ? -1 : a->i > b->i;
		return true;
	case T_PAIR:
	case T_EC:
	case T_RD:
	case T_MAC:
		*out = value_cmp_words(a->w, b->w, 2);
		return true;
	case T_LC:
		*out = value_cmp_words(a->w, b->w, 3);
		return true;
	case T_IP:
		*out = ip_cmp(a->ip, b->ip);
		return true;
	case T_PREFIX:
		*out = value_cmp_nets(a, b);
		return true;
	case T_STRING:
		*out = strcmp(a->str, b->str);
		return true;
	case T_BYTES:
	case T_PATH:
		*out = value_cmp_octets(a, b);
		return true;
	default:
		if (!ftype_is_enum(a->type))
			return false;
		*out = a->i < b->i ? -1 : a->i > b->i;
		return true;
	}
}

bool
fvalue_same(const struct fvalue *a, const struct fvalue *b)
{
	int c;

	if (fvalue_cmp(&c, a, b))
		return c == 0;
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case T_VOID:
		return true;
	case T_SET_EMPTY: /* len: the type of set that was wanted, 0: none */
		return !a->len || !b->len || a->len == b->len;
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		return value_cmp_octets(a, b) == 0;
	case T_PATH_MASK:
		return mask_same(a->mask, b->mask);
	case T_TABLE:
		return a->table == b->table && a->plen == b->plen;
	default:
		return ftype_is_set(a->type) && a->set->hash[0] == b->set->hash[0] &&
		       a->set->hash[1] == b->set->hash[1];
	}
}

const void *
fvalue_octets(const struct fvalue *v, uint32_t *len)
{
	switch (v->type) {
	case T_STRING: /* with its NUL */
		*len = v->len + 1;
		return v->octets;
	case T_BYTES:
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		*len = v->len;
		return v->octets;
	case T_PREFIX: /* with length and family */
		if (fvalue_is_net(v)) {
			*len = v->net->size;
			return v->net;
		}
		*len = sizeof(*v);
		return v;
	case T_IP:
		*len = sizeof(v->ip);
		return &v->ip;
	case T_PAIR:
	case T_EC:
	case T_RD:
	case T_MAC:
		*len = 2 * sizeof(v->w[0]);
		return v->w;
	case T_LC:
		*len = 3 * sizeof(v->w[0]);
		return v->w;
	default:
		*len = sizeof(v->i);
		return &v->i;
	}
}

bool
fvalue_from_octets(struct fvalue *v, enum ftype t, const void *p, uint32_t len)
{
	uint32_t want;

	*v = (struct fvalue){ .type = (uint8_t)t };
	(void)fvalue_octets(v, &want);
	switch (t) {
	case T_STRING:
		v->octets = p;
		v->len = len - 1;
		return len > 0 && v->str[len - 1] == '\0';
	case T_BYTES:
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		v->octets = p;
		v->len = len;
		return true;
	case T_PREFIX:
		if (len > sizeof(*v)) { /* no prefix of an address alone */
			v->fam = FVALUE_NET;
			v->net = p;
			v->plen = v->net->len;
			return v->net->size == len;
		}
		/* fall through */
	default:
		if (len != want)
			return false;
		memcpy(t == T_PREFIX ? (void *)v : (void *)v->w, p, len);
		return v->type == t;
	}
}
