/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole daemon in the test's process: control plane, tables, all protocols. It is a
 * dry run (struct tern): it opens no socket, and a player of a peer gives its session one
 * end of a pair. All workers but the control plane's share one
 * loop. For one test program. */
#ifndef TERN_TEST_LIB_DAEMON_RIG_H
#define TERN_TEST_LIB_DAEMON_RIG_H

#include "filter/lang/diag.h"
#include "filter/run/custom.h"
#include "nest/channel/channel.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/daemon/control_priv.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/source.h"
#include "proto/bgp/out/msg_cache.h"
#include "proto/bgp/out/session_class.h"
#include "proto/registry.h"
#include "sysdep/log/log.h"
#include "sysdep/os/latch.h"
#include "test/lib/conf_text.h"
#include <semaphore.h>
#include <stdio.h>

static struct {
	struct tern tern;
	struct control control;
	const struct conf_class *classes[16];
	struct latch started, all_gone;
} rig;

/* daemon_rig_start - with the configuration @text; returns when the first commit is done.
 * The calling thread is one of RCU's from now on. */
static inline void
daemon_rig_start(const char *text)
{
	struct conf_env env = {
		.class = rig.classes, .custom = &rig.control.custom, .pipes = true
	};
	struct config *conf;
	const char *bad;
	struct diag d;

	for (unsigned i = 0; proto_classes[i]; i++) {
		ASSERT(i + 1 < ARRAY_LEN(rig.classes));
		rig.classes[i] = proto_classes[i]->conf;
	}
	custom_registry_init(&rig.control.custom);
	diag_init(&d);
	conf = conf_text_parse(text, strlen(text), &env, &d);
	if (!conf)
		fputs(d.marked.s, stderr);
	ASSERT(conf);
	diag_fini(&d);
	rig.tern.process.thread_limit = 1;
	rig.tern.dry_run = true;
	rig.control.tern = &rig.tern;
	rig.control.begin.conf_classes = rig.classes;
	rig.control.begin.nofile = 1024;
	rig.control.log.debug_file = "/dev/null";
	rcu_join();
	log_start();
	ASSERT(commit_log(&rig.control, conf, &bad) == 0);
	loop_pool_limit(rig.tern.process.thread_limit);
	rig.tern.store = attr_store_new();
	rig.tern.origins = origins_new();
	rig.tern.session_classes = class_registry_new();
	msg_memory_init(&rig.tern);
	rig.tern.process.start_ns = clock_now_ns();
	rig.tern.classes = proto_classes;
	rig.tern.control.worker = &rig.control.worker;
	latch_init(&rig.started);
	rig.control.begin.started = &rig.started;
	latch_init(&rig.all_gone);
	rig.control.end.all_gone = &rig.all_gone;
	control_start(&rig.control, &rig.tern, conf);
	rcu_sleep();
	latch_wait(&rig.started);
	rcu_wake();
}

/* daemon_rig_stop - in order, as ternd ends: what is left then is a leak. */
static inline void
daemon_rig_stop(void)
{
	struct tern_view *v;

	control_post(&rig.tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	latch_wait(&rig.all_gone);
	loop_pool_fini();
	rcu_wake();
	v = load_acquire_ptr(&rig.tern.view); /* pairs: TVIEW */
	config_ref_put(v->conf);
	mem_free(MEM_CONFIG, v->proto);
	mem_free(MEM_CONFIG, v->table);
	mem_free(MEM_CONFIG, v->rpki);
	mem_free(MEM_CONFIG, v);
	config_ref_put(rig.control.conf);
	rcu_drain();
	channel_spares_free(&rig.tern);
	class_registry_free(rig.tern.session_classes);
	attr_store_free(rig.tern.store);
	origins_free(rig.tern.origins);
	msg_memory_fini(&rig.tern);
	custom_registry_fini(&rig.control.custom);
	log_stop();
	rcu_leave();
}

/* daemon_rig_proto - the instance called @name. */
static inline struct proto *
daemon_rig_proto(const char *name)
{
	const struct tern_view *v = tern_view_get(&rig.tern);

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, name))
			return v->proto[i];
	ASSERT(false);
	return NULL;
}

#endif
