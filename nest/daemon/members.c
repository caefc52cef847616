/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of dynamic members: for each peer that connects to a host, an instance
 * configured for several peers (nest/conf/conf_member.h).
 *
 *      listener  a connection -> struct proto_guest -> here: find or make the member's
 *                instance -> PROTO_GUEST
 *
 * I1  A member's instance is an ordinary struct instance, but its configuration is
 *     derived from the host's, again with each commit; the instance owns a reference to
 *     it.
 * I2  The instance ends when the host has no place for the member: by a configuration,
 *     even a configuration with an instance for the member alone or with a longer range;
 *     or when the member has been down too long. The instance stays while an operator or
 *     a limit holds it down; otherwise the hold would be lost.
 * I3  While an operator has disabled the host, no new instances are made.
 * I4  The sender bounds the connections under way (PROTO_GUESTS_MAX); the host's
 *     configuration, descriptors, and PROTO_MAX bound the instances of a host.
 *
 * Loop: the control worker's. Tested by test/net/test_dynamic.py. */
#include "nest/daemon/control_priv.h"
#include "nest/daemon/members.h"

#include "filter/lang/sym.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

#define LOOK_NS        NS_PER_S /* interval of looks for members that are down too long */
#define SAY_NS         (60 * NS_PER_S)
#define SAY_REFUSED_NS (10 * NS_PER_S)
#define NEW_AGE_S      120 /* limit for a member that never came up */
#define MEMBER_STR     (IP_STR_MAX + 32)

static struct instance *
members_of_host(const struct list *n)
{
	return container_of((struct list *)(uintptr_t)n, struct instance, member.of_host);
}

/* ---- configuration ---- */

/* members_part_of - the configured instance that precedes the range @host for @m
 * (conf_member.h); NULL: none. Each instance joins the listener by itself, so a shorter
 * range may get a connection before the preceding instance has joined. */
static const struct conf_proto *
members_part_of(
    const struct config *conf, const struct conf_proto *host, const struct conf_member *m)
{
	for (unsigned i = 0; i < conf->proto_cnt; i++)
		if (conf->proto[i]->class == host->class &&
		    host->class->members->wants(conf->proto[i], host, m))
			return conf->proto[i];
	return NULL;
}

static struct conf_member
member_of(const struct instance *in)
{
	return (
	    struct conf_member){ in->member.addr, in->member.iface, in->member.local };
}

struct config_ref *
members_conf(const struct conf_proto **cf, const struct instance *in,
    const struct config *conf, struct config_ref *ref)
{
	const struct conf_proto *host = NULL;
	struct conf_member m = member_of(in);
	struct conf_members all;

	if (in->host)
		host = config_find_proto(conf, in->host->name);
	if (!host || !conf_member_range(host, &all) || members_part_of(conf, host, &m))
		return NULL;
	return conf_member_new(cf, host, in->name, &m, ref);
}

/* ---- the members of a host ---- */

static struct instance *
members_find(const struct instance *host, const struct proto_guest *g)
{
	const struct list *n;

	list_for_each (n, &host->members.list) {
		struct instance *in = members_of_host(n);

		if (ip_equal(in->member.addr, g->addr) &&
		    (in->member.iface && g->iface ? !strcmp(in->member.iface, g->iface)
						  : in->member.iface == g->iface))
			return in;
	}
	return NULL;
}

/* members_leave_host - remove @in from its host. */
static void
members_leave_host(struct control *c, struct instance *in)
{
	struct instance *host = in->host;

	list_del(&in->member.of_host);
	in->host = NULL;
	c->members.cnt--;
	if (!--host->members.cnt)
		host->members.nr = 0; /* names begin anew */
}

void
members_part(struct control *c, struct instance *in)
{
	if (in->host)
		members_leave_host(c, in);
	mem_free(MEM_CONFIG, in->member.iface);
	in->member.iface = NULL;
	while (!in->p && !list_empty(&in->members.list))
		members_leave_host(c, members_of_host(in->members.list.next));
}

/* members_text_of - of a member, for the log. */
static const char *
members_text_of(char *buf, const struct proto_guest *g)
{
	char ip[IP_STR_MAX];

	snprintf(buf, MEMBER_STR, "%s%s%.20s", ip_str(ip, g->addr), g->iface ? "%" : "",
	    g->iface ? g->iface : "");
	return buf;
}

/* members_full - why no further member is possible; NULL: possible. */
static const char *
members_full(const struct control *c, const struct instance *host, uint32_t max)
{
	return host->members.cnt >= max ? "the dynamic limit is reached" : commit_room(c);
}

/* members_make_name - the next unused name. */
static void
members_make_name(const struct control *c, struct instance *host,
    const struct conf_members *all, char *buf, size_t len)
{
	do
		snprintf(
		    buf, len, "%s%0*u", all->name, (int)all->digits, ++host->members.nr);
	while (instance_find(c, buf) || sym_find(c->conf->conf->symbols, buf));
}

/* members_make - make an instance for @g. Returns: NULL: impossible. */
static struct instance *
members_make(struct control *c, struct instance *host, const struct proto_guest *g)
{
	struct conf_member m = { g->addr, g->iface, g->local };
	char name[CONF_MEMBER_NAME_MAX + 16], who[MEMBER_STR];
	const struct conf_proto *cf;
	struct conf_members all;
	struct config_ref *ref;
	struct instance *in;
	const char *why;

	if (!conf_member_range(host->cf, &all))
		return NULL;
	why = members_full(c, host, all.max);
	if (why) {
		if (log_due(&host->members.full_said_ns, loop_now_ns(&c->worker), SAY_NS))
			log_msg(LOG_C_WARN, "%s: No instance for %s: %s", host->name,
			    members_text_of(who, g), why);
		return NULL;
	}
	members_make_name(c, host, &all, name, sizeof(name));
	ref = conf_member_new(&cf, host->cf, name, &m, host->conf);
	if (!ref)
		return NULL;
	log_msg(LOG_C_INFO, "Adding protocol %s for %s, by %s", name,
	    members_text_of(who, g), host->name);
	in = instance_new(c, name);
	in->host = host;
	in->place = host->place;
	in->member.addr = g->addr;
	in->member.local = g->local;
	in->member.iface = g->iface ? mem_strdup(MEM_CONFIG, g->iface) : NULL;
	list_add_tail(&host->members.list, &in->member.of_host);
	control_state_take(c, in);
	host->members.cnt++;
	c->members.cnt++;
	c->members.grown = true;
	worker_again(&c->worker);
	instance_launch(c, in, ref, cf, NULL);
	control_state_note(c, in);
	control_state_save(c, NULL);
	config_ref_put(ref);
	if (!timer_active(&c->members.age))
		timer_set(&c->members.age, loop_now_ns(&c->worker) + LOOK_NS);
	return in;
}

/* ---- connections ---- */

static bool
members_is_disabled(const struct instance *in)
{
	return in->down || (in->p && proto_status_get(in->p)->disabled);
}

static void
members_say_disabled(struct control *c, struct instance *in, const struct proto_guest *g)
{
	char who[MEMBER_STR];

	if (log_due(&in->member.refused_said_ns, loop_now_ns(&c->worker), SAY_REFUSED_NS))
		log_msg(LOG_C_INFO,
		    "%s: Connection from %s refused: the protocol is disabled", in->name,
		    members_text_of(who, g));
}

/* members_find_or_make - the instance for @g; NULL: none. */
static struct instance *
members_find_or_make(struct control *c, const struct proto_guest *g)
{
	struct instance *host = instance_find(c, g->host->name), *in;
	struct conf_member m = { g->addr, g->iface, g->local };
	const struct conf_proto *listed;

	if (c->end.stopping || !host || host->p != g->host || host->deleting ||
	    host->down)
		return NULL;
	listed = members_part_of(c->conf->conf, host->cf, &m);
	in = listed ? instance_find(c, listed->name) : members_find(host, g);
	if (in && members_is_disabled(in)) {
		members_say_disabled(c, in, g);
		return NULL;
	}
	if (!in && !listed)
		in = members_make(c, host, g);
	return in && !listed && !in->deleting ? in : NULL;
}

static void
members_guest(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);
	struct proto_guest *g = container_of(m, struct proto_guest, msg);
	struct instance *in = members_find_or_make(c, g);

	counter32_sub_acq_rel(&g->host->guests, 1);
	if (in)
		proto_post_guest(in->p, g->fd, g->local);
	else
		g->host->cls->member.refuse_guest(g->fd, c->tern);
	mem_free(MEM_PROTO, g->iface);
	mem_free(MEM_PROTO, g);
}

void
tern_guest(struct tern *t, TAKE struct proto_guest *g)
{
	g->msg.handle = members_guest;
	worker_post(t->control.worker, &g->msg);
}

/* ---- ended members ---- */

/* members_outlived - true: the member has been down too long (I2). */
static bool
members_outlived(struct instance *in)
{
	const struct proto_status *st = proto_status_get(in->p);
	struct conf_members all;
	uint64_t age_s;

	in->member.was_up |= st->state == PS_UP;
	if (in->deleting || in->down || in->held || st->disabled || st->state == PS_UP ||
	    !proto_caught_up(in->p) || !in->p->cls->member.idle(in->p) ||
	    !conf_member_range(in->host->cf, &all) || !all.age_s)
		return false;
	age_s = in->member.was_up ? all.age_s : min_u64(all.age_s, NEW_AGE_S);
	return clock_now_ns() - st->since_ns >= age_s * NS_PER_S;
}

static void
members_look(struct timer *t)
{
	struct control *c = container_of(t, struct control, members.age);
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (!in->host || !in->p || !members_outlived(in))
			continue;
		log_msg(LOG_C_INFO,
		    "Removing protocol %s: the protocol has been down too long",
		    in->name);
		in->leaves = true;
		instance_delete(in, PR_CONF_REMOVED, NULL);
	}
	if (c->members.cnt)
		timer_set(t, loop_now_ns(&c->worker) + LOOK_NS);
}

void
members_init(struct control *c)
{
	timer_init(&c->members.age, &c->worker, members_look);
}
