/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances by name: an instance is made, launched, found and ended. Loop: the control
 * worker's. Tested by test/unit/test_commit.c. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"
#include "filter/rpki.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_pattern.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

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
instance_class_of(const struct tern *t, const struct conf_proto *cf)
{
	for (unsigned i = 0; t->classes[i]; i++)
		if (t->classes[i]->conf == cf->class)
			return t->classes[i];
	return NULL;
}

void
instance_remember(
    struct instance *in, struct config_ref *ref, const struct conf_proto *cf)
{
	if (in->conf)
		config_ref_put(in->conf);
	in->conf = config_ref_get(ref);
	in->cf = cf;
}

void
instance_unsay(struct instance *in)
{
	in->debug.given = in->mrtdump.given = false;
	if (in->held)
		return;
	mem_free(MEM_CONFIG, in->message);
	in->message = NULL;
}

void
instance_launch(struct control *c, struct instance *in, struct config_ref *ref,
    const struct conf_proto *cf, struct proto *old)
{
	const struct proto_class *cls = instance_class_of(c->tern, cf);

	ASSERT(cls);
	instance_remember(in, ref, cf);
	in->deleting = false;
	in->p = proto_make(cls, c->tern, cf);
	in->p->limited.disabled = in->limited; /* for its first status */
	in->p->place = in->place;
	proto_init(in->p, cls, c->tern, config_ref_get(ref), cf);
	if (old)
		proto_changes_move(in->p, old);
	if (in->debug.given)
		store_relaxed32(&in->p->debug, in->debug.mask);
	if (in->mrtdump.given)
		store_relaxed32(&in->p->mrtdump, in->mrtdump.mask);
	store_relaxed32(&in->p->orders.held, in->held);
	in->p->orders.drains = in->drain.since_s && !in->drain.done;
	drain_publish(in);
	quarantine_configured(c, in, cf);
	store_relaxed32(
	    &in->p->orders.quarantine, quarantine_runs(in) ? in->quarantine.since_s : 0);
	in->p->orders.quarantined = quarantine_runs(in);
	if (cf->kind == PROTO_BGP && c->saved.overrides.set)
		in->p->orders.overrides = overrides_ref(c->saved.overrides.set);
	proto_launch(in->p, cls->real_time  ? WORKER_REAL_TIME
			    : cls->own_loop ? WORKER_CONTROL
					    : WORKER_SESSION);
	if (!in->down)
		proto_post(in->p, PROTO_START, PR_NONE, NULL);
	else if (!cf->disabled)
		proto_post(in->p, PROTO_STOP, PR_CMD_DISABLE, in->message);
	instance_unsay(in);
	control_wait_launched(in);
}

void
instance_delete(struct instance *in, enum proto_reason why, const char *message)
{
	if (!in->p || in->deleting)
		return;
	in->deleting = true;
	proto_post(in->p, PROTO_DELETE, why, message);
}

void
instance_end(struct instance *in, enum proto_reason why, struct config_ref *ref)
{
	if (!in->p || in->deleting)
		return;
	in->deleting = true;
	proto_post_end(in->p, why, config_ref_get(ref));
}

struct instance *
instance_new(struct control *c, const char *name)
{
	struct instance *in = mem_zalloc(MEM_CONFIG, sizeof(*in));

	in->name = mem_strdup(MEM_CONFIG, name);
	list_init(&in->members.list);
	list_add_tail(&c->instances, &in->link);
	htab_add(&c->instance_names, &in->by_name, control_name_hash(in->name));
	return in;
}

bool
instance_listed(const struct control *c, const struct instance *in)
{
	return in->host && config_find_proto(c->conf->conf, in->host->name);
}
