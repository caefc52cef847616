/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commit of a configuration: the old and the new configuration are compared for each
 * object, and only differing objects are touched. Loop: the control worker's.
 *
 * Tables: commit_tables.c. Instances: a kept instance gets RECONF (even without a
 * difference, so that the old configuration can be freed); an instance that must restart
 * is deleted, and made again when the instance has ended.
 *
 * I1  A removed object leaves the view first; then a table is deleted, or an instance
 *     freed: the grace period begins when no thread can find the object.
 *
 * I2  A view costs time for each instance. So instances that end together leave one view
 *     (show_gone in control.c), and are found by name: all of 8,000 may end. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "filter/rpki.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_overlay.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/mrt/mrt_log.h"
#include "nest/rib/index/rpki_index.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_watch.h"
#include "sysdep/os/clock.h"

/* ---- instances ---- */

static void
commit_forget(struct control *c, struct instance *in)
{
	control_wait_launched(in);
	members_part(c, in);
	htab_del(&c->instance_names, &in->by_name);
	list_del(&in->link);
	if (in->conf)
		config_ref_put(in->conf);
	quarantine_forget(in);
	mem_free(MEM_CONFIG, in->message);
	mem_free(MEM_CONFIG, in->name);
	mem_free(MEM_CONFIG, in);
}

/* commit_switch_as_configured - the configuration overrides earlier changes by an
 * operator, a limit or an error, except for instances that must stay down, as RECONF
 * starts an instance. */
static void
commit_switch_as_configured(struct instance *in, const struct conf_proto *cf)
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
commit_debug_as_configured(struct proto *p, const struct conf_proto *cf)
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

	commit_switch_as_configured(in, cf);
	quarantine_configured(c, in, cf);
	control_state_note(c, in);
	if (change & CONF_CH_RESTART) {
		log_msg(LOG_C_INFO, "Restarting protocol %s", in->name);
		instance_end(in, PR_CONF_CHANGE, ref);
		return true;
	}
	if (change)
		log_msg(LOG_C_INFO, "Reconfigured protocol %s", in->name);
	instance_remember(in, ref, cf);
	commit_debug_as_configured(in->p, cf);
	store_relaxed32(&in->p->mrtdump, cf->mrtdump);
	quarantine_post(in);
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
	instance_end(in, PR_CONF_REMOVED, c->conf);
	in->held = 0; /* for a later instance of the name */
	drain_forget(c, in);
	quarantine_forget(in);
	in->limited = false;
	control_state_note(c, in);
	in->revived = false;
}

static bool
commit_update_one(struct control *c, struct instance *in, bool soft)
{
	const struct conf_proto *cf;
	struct config_ref *ref = instance_conf(&cf, in, c->conf->conf, c->conf);
	bool waits = true;

	if (!ref) {
		commit_remove(c, in);
		return true;
	}
	if (in->deleting) {
		commit_switch_as_configured(in, cf);
		instance_unsay(in);
	} else {
		waits = commit_update(c, in, ref, cf, soft);
	}
	config_ref_put(ref);
	return waits;
}

/* commit_update_instances - first removed instances, then configured instances, then
 * members. */
static bool
commit_update_instances(struct control *c, const struct config *conf, bool soft)
{
	bool waits = false;
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (config_find_proto(conf, in->name))
			members_part(c, in);
		else if (!in->host)
			waits |= commit_update_one(c, in, soft);
	}
	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		struct instance *in = instance_find(c, conf->proto[i]->name);

		if (in)
			waits |= commit_update_one(c, in, soft);
	}
	list_for_each_safe (n, tmp, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);

		if (in->host)
			waits |= commit_update_one(c, in, soft);
	}
	return waits;
}

static void
commit_new_instances(struct control *c, const struct config *conf)
{
	uint64_t *behind = places_behind(c, conf), last = 0;

	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		const struct conf_proto *cf = conf->proto[i];
		struct instance *in = instance_find(c, cf->name);

		if (in) {
			last = place_again(in, last, behind[i]);
			continue;
		}
		if (c->undo.prev)
			log_msg(LOG_C_INFO, "Adding protocol %s", cf->name);
		in = instance_new(c, cf->name);
		in->down = cf->disabled;
		in->place = last = place_between(last, behind[i]);
		control_state_take(c, in);
		instance_launch(c, in, c->conf, cf, NULL);
		control_state_note(c, in);
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
instance_gone(struct control *c, struct proto *p)
{
	struct instance *in = instance_find(c, p->name);
	struct config_ref *ref = NULL;
	const struct conf_proto *cf;

	if (!in || in->p != p)
		return false;
	in->p = NULL;
	if (!c->end.stopping && !in->leaves)
		ref = instance_conf(&cf, in, c->conf->conf, c->conf);
	if (ref) {
		instance_launch(c, in, ref, cf, p);
		config_ref_put(ref);
	} else {
		commit_forget(c, in);
	}
	return true;
}

/* ---- the whole ---- */

bool
commit(struct control *c, TAKE struct config_ref *ref, bool soft)
{
	const struct config *conf = ref->conf;
	struct table_fill *fl;
	bool waits;

	if (c->conf) {
		log_msg(LOG_C_INFO, "Reconfiguring");
		conf_overlays_keep(c->conf->conf, conf);
	}
	if (c->undo.prev)
		config_ref_put(c->undo.prev);
	c->undo.prev = c->conf;
	c->conf = ref;
	c->conf_time_ns = clock_now_ns();
	mem_free(MEM_CONFIG, c->bad.text);
	c->bad.text = NULL;
	mem_free(MEM_OTHER, c->log.bad);
	c->log.bad = control_log_to(c, conf);
	store_relaxed32(&c->tern->router_id,
	    conf->router_id ? conf->router_id : commit_router_id(c, conf));
	if (conf->threads.given && conf->threads.cnt != c->tern->process.thread_limit)
		log_msg(LOG_C_WARN, "%s: threads %u takes effect at the next start",
		    conf->path, conf->threads.cnt);
	commit_files(c, conf);
	mrt_log_set(c->tern, c->tern->dry_run ? NULL : conf->mrtdump.file);
	loop_watch_set(&conf->limits);
	commit_tables_new(c, conf);
	fl = fill_begin(c, conf);
	waits = commit_update_instances(c, conf, soft);
	commit_new_instances(c, conf);
	commit_tables_old(c, conf);
	publish_view(c);
	if (fl)
		fill_ask(fl);
	control_state_save(c, NULL);
	control_sockets_commit(c, conf);
	lan_configured(c);
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
