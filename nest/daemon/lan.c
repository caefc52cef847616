/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MAC addresses of the LAN (`lan macs "FILE"`): at intervals the control worker reads
 * the kernel's table of neighbors, compares the entries with the file, and publishes the
 * findings for `show health`.
 *
 * I1  Only addresses of the file are looked at. An address without an entry in the kernel
 *     has no wrong MAC address.
 * I2  A change of an address to another MAC address stays a finding for LAN_MOVED_S. Two
 *     changes within LAN_MOVED_S mean two routers with one address.
 * I3  The texts have times of events and no durations, so a new view is published only
 *     after a change.
 *
 * Loop: the control worker's. Tested by test/net/test_lan_macs.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/rtnl.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/file/lan_macs.h"
#include "nest/core/tern.h"
#include "sysdep/iface/neigh.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <string.h>

#define LAN_LOOK_NS (5 * NS_PER_S)
#define LAN_MOVED_S 3600u

/* An address that the kernel has or had. Owner: struct control_lan. Freed by:
 * lan_keep. */
struct lan_seen {
	struct htab_node by_addr;
	struct list link;
	struct ip_addr addr;
	uint8_t mac[MAC_LEN], was[MAC_LEN]; /* now; before the last change */
	uint32_t moved_s, before_s; /* Unix times of the last two changes; 0: none */
	bool present; /* in the kernel's table at the last look */
};

/* A look. On the stack. */
struct lan_look {
	struct control *c;
	const struct lan_macs *macs;
	uint32_t now_s;
};

static uint64_t
lan_key(struct ip_addr addr)
{
	uint8_t word[16];

	ip_put16(word, addr);
	return hash_bytes(0, word, sizeof(word));
}

static struct lan_seen *
lan_find(const struct control_lan *l, struct ip_addr addr)
{
	struct htab_node *n;

	htab_each_same (n, &l->by_addr, lan_key(addr)) {
		struct lan_seen *s = container_of(n, struct lan_seen, by_addr);

		if (ip_equal(s->addr, addr))
			return s;
	}
	return NULL;
}

/* lan_keep - forget the addresses that @macs lacks; NULL: all. */
static void
lan_keep(struct control_lan *l, const struct lan_macs *macs)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &l->seen) {
		struct lan_seen *s = container_of(n, struct lan_seen, link);

		s->present = false;
		if (macs && lan_macs_find(macs, s->addr))
			continue;
		htab_del(&l->by_addr, &s->by_addr);
		list_del(&s->link);
		mem_free(MEM_OTHER, s);
	}
}

/* lan_name - the name of the member with the address @addr; NULL: no member. */
static const char *
lan_name(const struct control *c, struct ip_addr addr)
{
	struct list *n;

	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, struct instance, link);
		struct proto_member m = { 0 };

		if (in->p && !in->deleting && in->p->cls->member.describe &&
		    in->p->cls->member.describe(in->p, &m) && ip_equal(m.addr, addr))
			return in->name;
	}
	return NULL;
}

/* lan_entry - an entry of the kernel's table. */
static void
lan_entry(void *arg, const struct rtnl_neigh *n)
{
	struct lan_look *k = arg;
	struct control_lan *l = &k->c->health.lan;
	char ip[IP_STR_MAX], was[MAC_STR_MAX], is[MAC_STR_MAX];
	struct lan_seen *s;

	if (!n->has_mac || !lan_macs_find(k->macs, n->addr))
		return;
	s = lan_find(l, n->addr);
	if (!s) {
		s = mem_zalloc(MEM_OTHER, sizeof(*s));
		s->addr = n->addr;
		memcpy(s->mac, n->mac, MAC_LEN);
		htab_add(&l->by_addr, &s->by_addr, lan_key(n->addr));
		list_add_tail(&l->seen, &s->link);
	} else if (memcmp(s->mac, n->mac, MAC_LEN) != 0) {
		memcpy(s->was, s->mac, MAC_LEN);
		memcpy(s->mac, n->mac, MAC_LEN);
		s->before_s = s->moved_s;
		s->moved_s = k->now_s;
		log_msg(LOG_C_WARN, "The MAC address of %s has changed from %s to %s",
		    ip_str(ip, s->addr), lan_mac_str(was, s->was),
		    lan_mac_str(is, s->mac));
	}
	s->present = true;
}

static bool
lan_recent(const struct lan_look *k, uint32_t at_s)
{
	return at_s && k->now_s - at_s < LAN_MOVED_S;
}

/* lan_say_owner - whose MAC address the address has. */
static void
lan_say_owner(const struct lan_look *k, const struct lan_seen *s, struct strbuf *b)
{
	struct ip_addr of = lan_macs_owner(k->macs, s->mac);
	const char *name = lan_name(k->c, of);
	char ip[IP_STR_MAX];

	if (ip_is_none(of))
		return;
	strbuf_addf(b, ", the MAC address of %s", ip_str(ip, of));
	if (name)
		strbuf_addf(b, " (%s)", name);
}

/* lan_say - the finding about @s, if any: a line with the name of the member, a tab, the
 * text. */
static void
lan_say(const struct lan_look *k, const struct lan_seen *s, struct strbuf *b)
{
	bool right = !s->present || lan_macs_has(k->macs, s->addr, s->mac);
	char ip[IP_STR_MAX], mac[MAC_STR_MAX], other[MAC_STR_MAX], when[DRAIN_TIME_MAX];
	const char *name;

	if (right && !lan_recent(k, s->moved_s))
		return;
	name = lan_name(k->c, s->addr);
	strbuf_addf(b, "%s\t%s%s", name ? name : "", name ? name : "", name ? ": " : "");
	lan_mac_str(mac, s->mac);
	drain_time_text(when, s->moved_s);
	if (lan_recent(k, s->before_s)) {
		strbuf_addf(b,
		    "two routers answer for %s: the MAC address changes between %s and "
		    "%s, last at %s",
		    ip_str(ip, s->addr), lan_mac_str(other, s->was), mac, when);
	} else if (right) {
		strbuf_addf(b, "the MAC address of %s moved from %s to %s at %s",
		    ip_str(ip, s->addr), lan_mac_str(other, s->was), mac, when);
	} else {
		strbuf_addf(b, "%s has the MAC address %s", ip_str(ip, s->addr), mac);
		lan_say_owner(k, s, b);
		strbuf_addf(b, "; expected: %s",
		    lan_mac_str(other, lan_macs_find(k->macs, s->addr)));
		if (lan_recent(k, s->moved_s))
			strbuf_addf(b, ", until %s", when);
	}
	strbuf_addc(b, '\n');
}

/* lan_publish - @b: the findings. */
static void
lan_publish(struct control *c, const struct strbuf *b)
{
	const char *old = c->health.lan.findings ? c->health.lan.findings : "";

	if (!strcmp(old, b->len ? b->s : ""))
		return;
	mem_free(MEM_CONFIG, c->health.lan.findings);
	c->health.lan.findings = b->len ? mem_strdup(MEM_CONFIG, b->s) : NULL;
	publish_view(c);
}

static void
lan_look(struct control *c)
{
	struct lan_look k = { .c = c,
		.macs = c->conf->conf->lan_macs,
		.now_s = (uint32_t)(clock_real_ns(clock_now_ns()) / NS_PER_S) };
	struct strbuf b;
	struct list *n;
	int rc = 0;

	strbuf_init(&b);
	lan_keep(&c->health.lan, k.macs);
	if (k.macs)
		rc = neigh_read(lan_entry, &k);
	if (rc)
		strbuf_addf(
		    &b, "\tcan't read the kernel's neighbors: %s\n", strerror(-rc));
	list_for_each (n, &c->health.lan.seen)
		lan_say(&k, container_of(n, struct lan_seen, link), &b);
	lan_publish(c, &b);
	strbuf_fini(&b);
	if (k.macs)
		timer_set(&c->health.lan.timer, loop_now_ns(&c->worker) + LAN_LOOK_NS);
}

static void
lan_fired(struct timer *tm)
{
	struct control *c = container_of(tm, struct control, health.lan.timer);

	if (!c->end.stopping)
		lan_look(c);
}

void
lan_init(struct control *c)
{
	timer_init(&c->health.lan.timer, &c->worker, lan_fired);
	htab_init(&c->health.lan.by_addr, MEM_OTHER);
	list_init(&c->health.lan.seen);
}

void
lan_configured(struct control *c)
{
	if (c->conf->conf->lan_macs || c->health.lan.findings)
		timer_set(&c->health.lan.timer, loop_now_ns(&c->worker));
}

void
lan_fini(struct control *c)
{
	lan_keep(&c->health.lan, NULL);
	htab_fini(&c->health.lan.by_addr);
	mem_free(MEM_CONFIG, c->health.lan.findings);
	c->health.lan.findings = NULL;
}
