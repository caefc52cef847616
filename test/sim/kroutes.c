/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's routes: what rtnetlink adds, replaces, removes and lists, and what stories
 * do and expect (`kernel ...`).
 *
 * I1  A route is found by family, table, destination and metric, as the kernel finds a
 *     route of IPv4. A removal may also name the protocol.
 * I2  A change is told to the sockets of the family's group, but for sockets that are
 *     deaf to the route's protocol.
 * I3  Routes outlive the daemon.
 *
 * The kernel refuses what the story says, a next hop on an interface that does not exist
 * (ENODEV), a second route of destination and metric with NLM_F_EXCL (EEXIST), and a
 * message that is cut (EINVAL). */
#include "test/sim/actor.h"
#include "test/sim/link.h"
#include "test/sim/sim_netlink.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED_MAX 16
#define TEXT_MAX    400

struct kroute {
	struct kroute *next;
	/* I1 */
	uint8_t family, len;
	uint8_t dst[16];
	uint32_t table, metric;
	uint8_t protocol, type;
	char text[TEXT_MAX]; /* "via 10.0.1.1 dev eth0 metric 32 protocol 12" */
	size_t body_len; /* rtmsg and attributes, as they came */
	char body[];
};

struct kroutes {
	struct actor a;
	struct kroute *first;
	char refused[REFUSED_MAX][64];
	unsigned refused_cnt;
	bool denies; /* EPERM */
	unsigned adds, replaces, removals, scans; /* since the story counts anew */
};

static struct kroutes *
kroutes_get(void)
{
	return sim_root(&sim->routes, sizeof(struct kroutes));
}

/* ---- messages ---- */

static void
kroute_hop_text(FILE *f, uint8_t family, const struct rtattr *a, int len)
{
	const char *name;
	char gw[64] = "";
	int index = 0;

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == RTA_GATEWAY)
			inet_ntop(family, RTA_DATA(a), gw, sizeof(gw));
		if (a->rta_type == RTA_OIF)
			memcpy(&index, RTA_DATA(a), 4);
	}
	name = link_name_of(index);
	if (*gw)
		fprintf(f, "via %s ", gw);
	if (index)
		fprintf(f, "dev %s ", name ? name : "?");
}

static void
kroute_hops_text(FILE *f, uint8_t family, const struct rtattr *multi)
{
	const struct rtnexthop *h = RTA_DATA(multi);
	int left = (int)RTA_PAYLOAD(multi);

	while (left >= (int)sizeof(*h) && RTNH_OK(h, left)) {
		const struct rtattr *first = (const void *)(h + 1);
		const char *name = link_name_of(h->rtnh_ifindex);

		kroute_hop_text(f, family, first, (int)(h->rtnh_len - sizeof(*h)));
		fprintf(f, "dev %s weight %d ", name ? name : "?", h->rtnh_hops + 1);
		left -= (int)NLMSG_ALIGN(h->rtnh_len);
		h = RTNH_NEXT(h);
	}
}

static const char *
kroute_type_text(unsigned type)
{
	return type == RTN_BLACKHOLE     ? "blackhole "
	       : type == RTN_UNREACHABLE ? "unreachable "
	       : type == RTN_PROHIBIT    ? "prohibit "
					 : "";
}

/* kroute_of - a route of a message; the caller frees the route. NULL: the message is
 * cut. */
static struct kroute *
kroute_of(const struct nlmsghdr *h)
{
	const struct rtmsg *m = NLMSG_DATA(h);
	int len = (int)h->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*m));
	const struct rtattr *multi = NULL, *a = RTM_RTA(m);
	size_t body_len = h->nlmsg_len - NLMSG_HDRLEN;
	struct kroute *r;
	FILE *f;

	if (len < 0)
		return NULL;
	r = calloc(1, sizeof(*r) + body_len);
	r->family = m->rtm_family;
	r->len = m->rtm_dst_len;
	r->table = m->rtm_table;
	r->protocol = m->rtm_protocol;
	r->type = m->rtm_type;
	r->body_len = body_len;
	memcpy(r->body, m, body_len);
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == RTA_DST)
			memcpy(r->dst, RTA_DATA(a), RTA_PAYLOAD(a));
		if (a->rta_type == RTA_TABLE)
			memcpy(&r->table, RTA_DATA(a), 4);
		if (a->rta_type == RTA_PRIORITY)
			memcpy(&r->metric, RTA_DATA(a), 4);
		if (a->rta_type == RTA_MULTIPATH)
			multi = a;
	}
	f = fmemopen(r->text, sizeof(r->text), "w");
	fprintf(f, "%s", kroute_type_text(r->type));
	kroute_hop_text(
	    f, r->family, RTM_RTA(m), (int)h->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*m)));
	if (multi)
		kroute_hops_text(f, r->family, multi);
	fprintf(f, "metric %u protocol %u", r->metric, r->protocol);
	fclose(f);
	return r;
}

static void
kroute_prefix(char out[80], const struct kroute *r)
{
	char address[64];

	inet_ntop(r->family, r->dst, address, sizeof(address));
	snprintf(out, 80, "%s/%u", address, r->len);
}

/* kroute_find - I1. Returns: where the pointer to the route is; *NULL: none. */
static struct kroute **
kroute_find(const struct kroute *r)
{
	struct kroute **at = &kroutes_get()->first, *o;

	while ((o = *at) &&
	       (o->family != r->family || o->table != r->table || o->len != r->len ||
		   o->metric != r->metric || memcmp(o->dst, r->dst, 16)))
		at = &o->next;
	return at;
}

static void
kroute_put_message(struct nl *n, const struct kroute *r, unsigned type, unsigned flags,
    uint32_t seq, bool answer)
{
	size_t len = NLMSG_HDRLEN + r->body_len;
	struct nlmsghdr *h = calloc(1, NLMSG_ALIGN(len));

	h->nlmsg_len = (uint32_t)len;
	h->nlmsg_type = (uint16_t)type;
	h->nlmsg_flags = (uint16_t)flags;
	h->nlmsg_seq = seq;
	memcpy(NLMSG_DATA(h), r->body, r->body_len);
	nl_queue(n, h, len, answer);
	free(h);
}

/* kroute_notify - I2. */
static void
kroute_notify(const struct kroute *r, unsigned type, unsigned flags)
{
	uint32_t group = r->family == AF_INET ? RTMGRP_IPV4_ROUTE : RTMGRP_IPV6_ROUTE;
	char prefix[80];

	kroute_prefix(prefix, r);
	sim_event("kernel: %s %s %s",
	    type == RTM_DELROUTE    ? "removes"
	    : flags & NLM_F_REPLACE ? "replaces"
				    : "adds",
	    prefix, r->text);
	for (struct nl *n = nl_first(); n; n = n->next)
		if (n->groups & group && n->deaf_to != r->protocol)
			kroute_put_message(n, r, type, flags, 0, false);
	kroutes_get()->a.changed_ns = sim_now();
	sim_moment(sim_now() + 1);
}

/* ---- requests ---- */

/* kroute_refused - Returns: 0, or why the kernel does not take the route. */
static int
kroute_refused(const struct kroute *r)
{
	const struct kroutes *k = kroutes_get();
	char prefix[80];

	kroute_prefix(prefix, r);
	for (unsigned i = 0; i < k->refused_cnt; i++)
		if (!strcmp(k->refused[i], prefix))
			return -ENETUNREACH;
	return strstr(r->text, "dev ?") ? -ENODEV : 0;
}

static int
kroute_new(struct kroute *r, unsigned flags)
{
	struct kroute **at = kroute_find(r), *old = *at;
	int err = kroute_refused(r);

	if (!err && old && flags & NLM_F_EXCL)
		err = -EEXIST;
	if (err) {
		free(r);
		return err;
	}
	r->next = old ? old->next : kroutes_get()->first;
	if (old)
		*at = r;
	else
		kroutes_get()->first = r;
	kroutes_get()->adds += !old;
	kroutes_get()->replaces += old != NULL;
	kroute_notify(r, RTM_NEWROUTE, old ? NLM_F_REPLACE : NLM_F_CREATE);
	free(old);
	return 0;
}

static int
kroute_del(const struct kroute *r)
{
	struct kroute **at = kroute_find(r), *old = *at;

	if (!old || (r->protocol && old->protocol != r->protocol) ||
	    (r->type && old->type != r->type))
		return -ESRCH;
	*at = old->next;
	kroutes_get()->removals++;
	kroute_notify(old, RTM_DELROUTE, 0);
	free(old);
	return 0;
}

static void
kroute_dump(struct nl *n, const struct kroute *like, uint32_t seq)
{
	kroutes_get()->scans++;
	sim_event("kernel: lists table %u", like->table);
	for (const struct kroute *r = kroutes_get()->first; r; r = r->next)
		if (r->family == like->family &&
		    (!like->table || r->table == like->table) &&
		    (!like->protocol || r->protocol == like->protocol))
			kroute_put_message(n, r, RTM_NEWROUTE, NLM_F_MULTI, seq, true);
}

int
kroutes_request(struct nl *n, const struct nlmsghdr *h)
{
	struct kroute *r = kroute_of(h);
	int err;

	if (h->nlmsg_type == RTM_GETROUTE && r) {
		kroute_dump(n, r, h->nlmsg_seq);
		free(r);
		return 0;
	}
	if (kroutes_get()->denies || !r) {
		free(r);
		return kroutes_get()->denies ? -EPERM : -EINVAL;
	}
	if (h->nlmsg_type == RTM_NEWROUTE)
		return kroute_new(r, h->nlmsg_flags);
	err = h->nlmsg_type == RTM_DELROUTE ? kroute_del(r) : -EOPNOTSUPP;
	free(r);
	return err;
}

/* ---- the bridge ---- */

void
kroutes_flush(uint32_t table)
{
	struct kroute *r = kroutes_get()->first, *next;

	for (; r; r = next) {
		next = r->next;
		if (r->table == table)
			kroute_del(r);
	}
}

size_t
kroutes_show(char *out, size_t room)
{
	char prefix[80];
	size_t at = 0;

	for (const struct kroute *r = kroutes_get()->first;
	     r && at + sizeof(prefix) + TEXT_MAX < room; r = r->next) {
		kroute_prefix(prefix, r);
		at += (size_t)snprintf(
		    out + at, room - at, "%s table %u %s\n", prefix, r->table, r->text);
	}
	return at;
}

/* ---- the story ---- */

/* kernel_parse - "PREFIX [via ADDRESS] [dev NAME] [metric N] [protocol N] [table N]", as
 * a message. Returns: false: the words are wrong. */
static bool
kernel_parse(char **words, struct nlmsghdr *h)
{
	struct rtmsg *m = NLMSG_DATA(h);
	char *prefix = words_next(words), *slash = strchr(prefix, '/'), *w;
	uint32_t table = RT_TABLE_MAIN, metric = 0, index = 0;
	uint8_t address[16];
	bool v6 = strchr(prefix, ':');
	size_t size = v6 ? 16 : 4;

	if (!slash)
		return false;
	*slash = 0;
	h->nlmsg_len = NLMSG_LENGTH(sizeof(*m));
	*m = (struct rtmsg){ .rtm_family = v6 ? AF_INET6 : AF_INET,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_type = RTN_UNICAST };
	if (!words_length(slash + 1, v6 ? 128 : 32, &m->rtm_dst_len) ||
	    inet_pton(m->rtm_family, prefix, address) != 1)
		return false;
	nl_put_attr(h, RTA_DST, address, size);
	while (*(w = words_next(words))) {
		if (!strcmp(w, "via")) {
			w = words_next(words);
			if (inet_pton(m->rtm_family, w, address) != 1)
				return false;
			nl_put_attr(h, RTA_GATEWAY, address, size);
			index = index ? index : link_index_toward(w);
		} else if (!strcmp(w, "metric")) {
			metric = words_u32(words);
		} else if (!strcmp(w, "protocol")) {
			m->rtm_protocol = (uint8_t)words_upto(words, UINT8_MAX);
		} else if (!strcmp(w, "table")) {
			table = words_u32(words);
		} else {
			return false;
		}
	}
	m->rtm_table = table < 256 ? (uint8_t)table : RT_TABLE_UNSPEC;
	nl_put_attr(h, RTA_TABLE, &table, 4);
	nl_put_attr(h, RTA_PRIORITY, &metric, 4);
	if (index)
		nl_put_attr(h, RTA_OIF, &index, 4);
	return true;
}

static bool
kernel_change(char **words, bool adds)
{
	union {
		struct nlmsghdr h;
		char room[256];
	} b = { 0 };
	struct kroute *r;
	int err;

	if (!kernel_parse(words, &b.h))
		return false;
	r = kroute_of(&b.h);
	if (adds)
		return !kroute_new(r, NLM_F_REPLACE);
	r->protocol = r->type = 0; /* any */
	err = kroute_del(r);
	free(r);
	return !err;
}

static struct actor *
kernel_make(const char *name, char **words)
{
	(void)name;
	(void)words;
	return &kroutes_get()->a;
}

static bool
kernel_act(struct actor *a, const char *verb, char **words)
{
	struct kroutes *k = (struct kroutes *)a;
	unsigned i = 0;
	char *prefix;

	if (!strcmp(verb, "adds") || !strcmp(verb, "removes"))
		return kernel_change(words, *verb == 'a');
	if (!strcmp(verb, "refuses") && k->refused_cnt < REFUSED_MAX) {
		strlcpy(k->refused[k->refused_cnt++], words_next(words), 64);
	} else if (!strcmp(verb, "takes")) {
		prefix = words_next(words);
		while (i < k->refused_cnt && strcmp(k->refused[i], prefix))
			i++;
		if (i == k->refused_cnt)
			return false;
		memcpy(k->refused[i], k->refused[--k->refused_cnt], 64);
	} else if (!strcmp(verb, "denies") || !strcmp(verb, "allows")) {
		k->denies = *verb == 'd';
	} else if (!strcmp(verb, "overruns")) { /* who follows routes has lost messages */
		bool all = words_skip(words, "everybody");

		for (struct nl *n = nl_first(); n; n = n->next)
			n->lost |= all || (n->groups & (RTMGRP_IPV4_ROUTE |
							   RTMGRP_IPV6_ROUTE)) != 0;
		sim_moment(sim_now() + 1);
	} else if (!strcmp(verb, "counts") && words_skip(words, "anew")) {
		k->adds = k->replaces = k->removals = k->scans = 0;
	} else {
		return false;
	}
	return true;
}

static enum actor_truth
kernel_holds(const struct actor *a, const char *verb, char **words)
{
	const struct kroutes *k = (const struct kroutes *)a;
	bool yes = false;
	char *prefix, *text, have[80];

	if (!strcmp(verb, "saw")) {
		if (words_skip(words, "addition"))
			yes = k->adds;
		else if (words_skip(words, "replacement"))
			yes = k->replaces;
		else if (words_skip(words, "removal"))
			yes = k->removals;
		else if (words_skip(words, "scan"))
			yes = k->scans;
		else
			return ACTOR_WHAT;
		return yes ? ACTOR_YES : ACTOR_NO;
	}
	if (strcmp(verb, "has"))
		return ACTOR_WHAT;
	prefix = words_next(words);
	text = words_rest(words);
	for (const struct kroute *r = k->first; r && !yes; r = r->next) {
		kroute_prefix(have, r);
		yes = !strcmp(have, prefix) && strstr(r->text, text);
	}
	return yes ? ACTOR_YES : ACTOR_NO;
}

static void
kernel_describe(const struct actor *a, FILE *to)
{
	const struct kroutes *k = (const struct kroutes *)a;
	char prefix[80];

	fprintf(to, "%u additions, %u replacements, %u removals, %u scans", k->adds,
	    k->replaces, k->removals, k->scans);
	for (const struct kroute *r = k->first; r; r = r->next) {
		kroute_prefix(prefix, r);
		fprintf(to, "\n%s %s table %u", prefix, r->text, r->table);
	}
}

static void
kernel_picture(const struct actor *a, FILE *to)
{
	char prefix[80];

	for (const struct kroute *r = ((const struct kroutes *)a)->first; r;
	     r = r->next) {
		kroute_prefix(prefix, r);
		fprintf(to, "kernel has %s %s table %u\n", prefix, r->text, r->table);
	}
}

const struct actor_kind kernel_kind = { .word = "kernel",
	.single = true,
	.make = kernel_make,
	.act = kernel_act,
	.holds = kernel_holds,
	.describe = kernel_describe,
	.picture = kernel_picture };
