/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commit of a configuration: the old and the new configuration are compared for each
 * object, and only differing objects are touched. Loop: the control worker's.
 *
 * Tables: a new table is made; a removed table is deleted (it ends when its channels have
 * ended). Instances: a kept instance gets RECONF (even without a difference, so that the
 * old configuration can be freed); an instance that must restart is deleted, and made
 * again when it has ended.
 *
 * I1  A removed object leaves the view first; then a table is deleted, or an instance
 *     freed: the grace period begins when no thread can find the object.
 *
 * I2  A view costs time for each instance. So instances that end together leave one view
 *     (show_gone in control.c), and are found by name: all of 8,000 may end. */
#include "nest/daemon/control_priv.h"

#include "filter/rpki.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_overlay.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/mrt/mrt_log.h"
#include "nest/rib/index/match_index.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_pattern.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_watch.h"
#include "sysdep/os/clock.h"

/* A table has places for many more feeders (FEEDER_MAX): present instances, ending
 * instances, and the feeders that they make. */
#define PROTO_MAX 8000

#define CLIENTS_MIN 8

/* ---- tables ---- */

struct table_slot *
table_find_slot(struct control *c, const char *name)
{
	struct tern_table *tt = tern_table_find(c->tern, name);

	return tt ? container_of(tt, struct table_slot, named) : NULL;
}

void
commit_drop_table(struct control *c, struct table_slot *ts)
{
	tern_table_del(c->tern, &ts->named);
	list_del(&ts->link);
	list_add_tail(&c->dropped, &ts->link);
}

/* bind_rpki - let the filters of @ct's configuration query @x: before any instance has
 * the configuration, or again after `undo`, maybe with a new index; then filters in use
 * query the new index from now on. */
static void
bind_rpki(struct conf_table *ct, struct rpki_index *x)
{
	struct rpki_index *old = load_relaxed_ptr(&ct->rpki);

	rpki_index_times(x, ct);
	if (old == x)
		return;
	ct->rpki_drop = rpki_index_unref;
	store_release_ptr(&ct->rpki, rpki_index_ref(x)); /* pairs: FTABLE */
	store_release_ptr(&ct->ft.map, /* pairs: FTABLE */
	    ct->ft.is_aspa ? (void *)rpki_index_aspa(x) : rpki_index_map(x));
	if (old)
		rpki_index_unref(old);
}

/* index_matches - make or delete the match index as @ct says. */
static void
index_matches(struct control *c, struct table_slot *ts, const struct conf_table *ct)
{
	if (ct->match_index && !ts->match)
		ts->match = match_index_new(c->tern, ts->t, ct->name);
	if (ct->match_index || !ts->match)
		return;
	match_index_delete(ts->match);
	ts->match = NULL;
}

static void
new_tables(struct control *c, const struct config *conf)
{
	for (unsigned i = 0; i < conf->table_cnt; i++) {
		struct conf_table *ct = conf->table[i];
		struct table_slot *ts = table_find_slot(c, ct->name);

		if (ts && ts->kind == ct->kind) {
			table_set_debug(ts->t, ct->debug);
			if (ts->rpki)
				bind_rpki(ct, ts->rpki);
			index_matches(c, ts, ct);
			continue;
		}
		if (ts)
			commit_drop_table(c, ts);
		ts = mem_zalloc(MEM_CONFIG, sizeof(*ts));
		ts->name = mem_strdup(MEM_CONFIG, ct->name);
		ts->kind = ct->kind;
		ts->t = table_new(c->tern, ct);
		if (conf_kind_is_rpki(ct->kind)) {
			ts->rpki = rpki_index_new(c->tern, ts->t, ct);
			bind_rpki(ct, ts->rpki);
		}
		index_matches(c, ts, ct);
		list_add_tail(&c->tables, &ts->link);
		tern_table_add(c->tern, &ts->named, ts->name, ts->t);
	}
}

static void
old_tables(struct control *c, const struct config *conf)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->tables) {
		struct table_slot *ts = container_of(n, struct table_slot, link);

		if (!config_find_table(conf, ts->name))
			commit_drop_table(c, ts);
	}
}

/* ---- instances ---- */

struct instance *
instance_find(const struct control *c, const char *name)
{
	struct htab_node *n;

	htab_each_same (n, &c->instance_names, control_name_hash(name)) {
		struct instance *in = container_of(n, struct instance, by_name);

		if (!strcmp(in->name, name))
			return in;
	}
	return NULL;
}

static const struct proto_class *
class_of(const struct tern *t, const struct conf_proto *cf)
{
	for (unsigned i = 0; t->classes[i]; i++)
		if (t->classes[i]->conf == cf->class)
			return t->classes[i];
	return NULL;
}

static void
remember_conf(struct instance *in, struct config_ref *ref, const struct conf_proto *cf)
{
	if (in->conf)
		config_ref_put(in->conf);
	in->conf = config_ref_get(ref);
	in->cf = cf;
}

/* commit_unsay - void an operator's statements about the next instance. A held instance
 * stays held in its successors. */
static void
commit_unsay(struct instance *in)
{
	in->debug.said = in->mrtdump.said = false;
	if (in->held)
		return;
	mem_free(MEM_CONFIG, in->message);
	in->message = NULL;
}

void
instance_launch(struct control *c, struct instance *in, struct config_ref *ref,
    const struct conf_proto *cf)
{
	const struct proto_class *cls = class_of(c->tern, cf);

	ASSERT(cls);
	remember_conf(in, ref, cf);
	in->deleting = false;
	in->p = cls->make(c->tern, cf);
	in->p->by_limit = in->limited; /* for its first status */
	in->p->place = in->place;
	proto_init(in->p, cls, c->tern, config_ref_get(ref), cf);
	if (in->debug.said)
		store_relaxed32(&in->p->debug, in->debug.mask);
	if (in->mrtdump.said)
		store_relaxed32(&in->p->mrtdump, in->mrtdump.mask);
	store_relaxed32(&in->p->held, in->held);
	proto_launch(in->p, cls->real_time ? WORKER_REAL_TIME : WORKER_SESSION);
	if (!in->down)
		proto_post(in->p, PROTO_START, PR_NONE, NULL);
	else if (!cf->disabled)
		proto_post(in->p, PROTO_STOP, PR_CMD_DISABLE, in->message);
	commit_unsay(in);
	control_wait_launched(in);
}

static void
commit_forget(struct control *c, struct instance *in)
{
	control_wait_launched(in);
	members_part(c, in);
	htab_del(&c->instance_names, &in->by_name);
	list_del(&in->link);
	if (in->conf)
		config_ref_put(in->conf);
	mem_free(MEM_CONFIG, in->message);
	mem_free(MEM_CONFIG, in->name);
	mem_free(MEM_CONFIG, in);
}

void
instance_delete(struct instance *in, enum proto_reason why, const char *message)
{
	if (!in->p || in->deleting)
		return;
	in->deleting = true;
	proto_post(in->p, PROTO_DELETE, why, message);
}

/* switch_as_configured - the configuration overrides earlier changes by an operator, a
 * limit or an error, except for instances that must stay down, as RECONF starts an
 * instance. */
static void
switch_as_configured(struct instance *in, const struct conf_proto *cf)
{
	struct plan_switch sw = plan_switch(in, cf);

	in->limited = sw.limited;
	if (sw.was != sw.down)
		log_msg(LOG_C_INFO, "%s protocol %s", sw.down ? "Disabling" : "Enabling",
		    in->name);
	in->revived = sw.was && !sw.down;
	in->down = sw.down;
}

static void
debug_as_configured(struct proto *p, const struct conf_proto *cf)
{
	store_relaxed32(&p->debug, cf->debug);
	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch))
		channel_debug_configured(ch);
}

/* commit_update - send a running instance its new configuration, of @ref. Returns: true:
 * the instance must restart. */
static bool
commit_update(struct control *c, struct instance *in, struct config_ref *ref,
    const struct conf_proto *cf, bool soft)
{
	uint32_t change = c->planned == c->conf->conf ? in->change
						      : conf_proto_diff(in->cf, cf);
	bool stops = cf->disabled && !in->down;

	switch_as_configured(in, cf);
	if (change & CONF_CH_RESTART) {
		log_msg(LOG_C_INFO, "Restarting protocol %s", in->name);
		instance_delete(in, PR_CONF_CHANGE, NULL);
		return true;
	}
	if (change)
		log_msg(LOG_C_INFO, "Reconfigured protocol %s", in->name);
	remember_conf(in, ref, cf);
	debug_as_configured(in->p, cf);
	store_relaxed32(&in->p->mrtdump, cf->mrtdump);
	proto_post_conf(in->p, change, soft, in->held, config_ref_get(ref), cf);
	if (stops)
		proto_post(in->p, PROTO_STOP, PR_CONF_DISABLE, NULL);
	return false;
}

/* commit_remove - end an instance that is no longer configured. */
static void
commit_remove(struct control *c, struct instance *in)
{
	if (!in->deleting)
		log_msg(LOG_C_INFO, "Removing protocol %s", in->name);
	instance_delete(in, PR_CONF_REMOVED, NULL);
	in->held = 0; /* for a later instance of the name */
	in->limited = false;
	control_state_note(c, in);
	in->revived = false;
}

static bool
update_one(struct control *c, struct instance *in, bool soft)
{
	const struct conf_proto *cf;
	struct config_ref *ref = instance_conf(&cf, in, c->conf->conf, c->conf);
	bool waits = true;

	if (!ref) {
		commit_remove(c, in);
		return true;
	}
	if (in->deleting) {
		switch_as_configured(in, cf);
		commit_unsay(in);
	} else {
		waits = commit_update(c, in, ref, cf, soft);
	}
	config_ref_put(ref);
	return waits;
}

/* update_instances - first removed instances, then configured instances, then members. */
static bool
update_instances(struct control *c, const struct config *conf, bool soft)
{
	bool waits = false;
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (config_find_proto(conf, in->name))
			members_part(c, in);
		else if (!in->host)
			waits |= update_one(c, in, soft);
	}
	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		struct instance *in = instance_find(c, conf->proto[i]->name);

		if (in)
			waits |= update_one(c, in, soft);
	}
	list_for_each_safe (n, tmp, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (in->host)
			waits |= update_one(c, in, soft);
	}
	return waits;
}

struct instance *
instance_new(struct control *c, const char *name)
{
	struct instance *in = mem_zalloc(MEM_CONFIG, sizeof(*in));

	in->name = mem_strdup(MEM_CONFIG, name);
	list_init(&in->members);
	list_add_tail(&c->instances, &in->link);
	htab_add(&c->instance_names, &in->by_name, control_name_hash(in->name));
	return in;
}

static void
new_instances(struct control *c, const struct config *conf)
{
	uint64_t *behind = places_behind(c, conf), last = 0;

	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		const struct conf_proto *cf = conf->proto[i];
		struct instance *in = instance_find(c, cf->name);

		if (in) {
			last = place_again(in, last, behind[i]);
			continue;
		}
		if (c->prev)
			log_msg(LOG_C_INFO, "Adding protocol %s", cf->name);
		in = instance_new(c, cf->name);
		in->down = cf->disabled;
		in->place = last = place_between(last, behind[i]);
		control_state_take(c, in);
		instance_launch(c, in, c->conf, cf);
	}
	mem_free(MEM_CONFIG, behind);
}

struct config_ref *
instance_conf(const struct conf_proto **cf, const struct instance *in,
    const struct config *conf, struct config_ref *ref)
{
	*cf = config_find_proto(conf, in->name);
	return *cf ? config_ref_get(ref) : members_conf(cf, in, conf, ref);
}

bool
instance_gone(struct control *c, const struct proto *p)
{
	struct instance *in = instance_find(c, p->name);
	struct config_ref *ref = NULL;
	const struct conf_proto *cf;

	if (!in || in->p != p)
		return false;
	in->p = NULL;
	if (!c->stopping && !in->leaves)
		ref = instance_conf(&cf, in, c->conf->conf, c->conf);
	if (ref) {
		instance_launch(c, in, ref, cf);
		config_ref_put(ref);
	} else {
		commit_forget(c, in);
	}
	return true;
}

/* ---- the whole ---- */

/* may_name_us - true: the address may be the router id: of an up interface named by
 * @conf, or of any interface but loopback. */
static bool
may_name_us(const struct config *conf, const struct iface *f, const struct iface_addr *a)
{
	uint32_t v4 = ip_to_v4(a->own);

	if (!ip_is_v4(a->own) || v4 >> 24 == 127 || v4 >> 24 == 0)
		return false;
	if (!conf->router_id_from)
		return !(f->flags & IFF_LOOPBACK);
	return (f->flags & IFF_UP) && iface_pattern_fits(conf->router_id_from, f, a);
}

/* own_address - the present router id if still allowed, or the lowest allowed address; 0:
 * none. */
static uint32_t
own_address(struct control *c, const struct config *conf)
{
	const struct iface_list *l = iface_list_get(&c->tern->ifaces);
	uint32_t best = 0;

	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++) {
			const struct iface_addr *a = &l->iface[i].addr[k];
			uint32_t v4 = ip_to_v4(a->own);

			if (!may_name_us(conf, &l->iface[i], a))
				continue;
			if (v4 == load_relaxed32(&c->tern->router_id))
				return v4;
			if (!best || v4 < best)
				best = v4;
		}
	return best;
}

static uint64_t
files_needed(const struct control *c, const struct config *conf)
{
	/* A loop has three descriptors; a session one, two during a collision. */
	uint64_t each = c->tern->thread_limit ? 2 : 5, loops = conf->table_cnt;

	for (unsigned i = 0; i < conf->table_cnt; i++)
		/* an RPKI index has its own loop */
		loops += conf_kind_is_rpki(conf->table[i]->kind);
	return 64 + (conf->proto_cnt + c->member_cnt) * each + loops * 3;
}

/* going_cnt - number of present instances missing in @conf. */
static uint32_t
going_cnt(const struct control *c, const struct config *conf)
{
	const struct list *n;
	uint32_t cnt = 0;

	if (!c->conf)
		return 0; /* before the first commit */
	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, const struct instance, link);

		cnt += !in->host && !config_find_proto(conf, in->name);
	}
	return cnt;
}

/* take_files - descriptors not needed by the configuration are for clients: four each. A
 * few clients are allowed in any case, from the reserve. */
static void
take_files(struct control *c, const struct config *conf)
{
	uint64_t need = files_needed(c, conf), room = 0;

	if (c->nofile > need)
		room = (c->nofile - need) / 4;
	store_relaxed32(&c->tern->client_max,
	    (uint32_t)max_u64(min_u64(room, UINT16_MAX), CLIENTS_MIN));
}

const char *
commit_room(const struct control *c)
{
	uint64_t need = files_needed(c, c->conf->conf) + (c->tern->thread_limit ? 2 : 5);

	if (need > c->nofile)
		return "too few open files are allowed";
	return c->conf->conf->proto_cnt + c->member_cnt >= PROTO_MAX
		   ? "there are too many protocols"
		   : NULL;
}

const char *
commit_check(struct control *c, const struct config *conf, struct strbuf *b)
{
	uint64_t need = files_needed(c, conf);

	strbuf_reset(b);
	if (need > c->nofile)
		strbuf_addf(b,
		    "%s: %u protocols need about %llu open files, the limit is %llu",
		    conf->path, conf->proto_cnt, (unsigned long long)need,
		    (unsigned long long)c->nofile);
	else if (!conf->router_id && !own_address(c, conf))
		strbuf_addf(b, "%s: no router id, and no %s to take one from", conf->path,
		    conf->router_id_from ? "address that fits" : "interface");
	else if (conf->proto_cnt > PROTO_MAX)
		strbuf_addf(b, "%s: %u protocols, at most 8,000 are possible", conf->path,
		    conf->proto_cnt);
	else if (going_cnt(c, conf) > PROTO_MAX)
		strbuf_addf(
		    b, "%s: too many protocols are still on their way out", conf->path);
	return b->len ? b->s : NULL;
}

bool
commit(struct control *c, TAKE struct config_ref *ref, bool soft)
{
	const struct config *conf = ref->conf;
	bool waits;

	if (c->conf) {
		log_msg(LOG_C_INFO, "Reconfiguring");
		conf_overlays_keep(c->conf->conf, conf);
	}
	if (c->prev)
		config_ref_put(c->prev);
	c->prev = c->conf;
	c->conf = ref;
	c->conf_time_ns = clock_now_ns();
	mem_free(MEM_CONFIG, c->conf_bad);
	c->conf_bad = NULL;
	mem_free(MEM_OTHER, c->log_bad);
	c->log_bad = control_log_to(c, conf);
	store_relaxed32(&c->tern->router_id,
	    conf->router_id ? conf->router_id : own_address(c, conf));
	if (conf->has_threads && conf->threads != c->tern->thread_limit)
		log_msg(LOG_C_WARN, "%s: threads %u takes effect at the next start",
		    conf->path, conf->threads);
	take_files(c, conf);
	mrt_log_set(c->tern, c->tern->dry_run ? NULL : conf->mrtdump);
	loop_watch_set(&conf->limits);
	new_tables(c, conf);
	waits = update_instances(c, conf, soft);
	new_instances(c, conf);
	old_tables(c, conf);
	publish_view(c);
	control_state_save(c, NULL);
	control_sockets_commit(c, conf);
	c->planned = NULL;
	return waits;
}

void
commit_shutdown(struct control *c, const char *message)
{
	struct list *n;

	list_for_each (n, &c->instances)
		instance_delete(
		    container_of(n, struct instance, link), PR_CMD_SHUTDOWN, message);
}
