/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control worker, and the worker that reads configurations. control.h describes the
 * way of a control_request.
 *
 * Shutdown: CTL_DOWN or a signal (CTL_GRACEFUL: first recovery.c) -> CLI servers close,
 * every instance ends (Cease) and reports its end here -> tables are deleted -> the
 * reader drops unread requests and stops, then this worker stops; the last worker wakes
 * main, which ends. Tested by test/unit/test_control.c.
 *
 * Loop: the control worker's; control_read_conf in the worker that reads configurations.
 */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_preview.h"
#include "nest/daemon/control_priv.h"

#include "filter/lang/diag.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/daemon/commands.h"
#include "nest/event/event_ring.h"
#include "nest/mrt/mrt_log.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/latch.h"
#include "sysdep/os/os.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define TRIM_NS NS_PER_S
/* without words of a file that is closed to the client */
#define CANNOT_COMMIT "The configuration can't be committed"

/* ---- configurations ---- */

/* control_be_safe - confirm the running configuration. */
static void
control_be_safe(struct control *c)
{
	timer_cancel(&c->undo.timer);
	if (c->undo.safe)
		config_ref_put(c->undo.safe);
	c->undo.safe = NULL;
}

/* control_no_undo - forget the target of a further `undo`. */
static void
control_no_undo(struct control *c)
{
	if (c->undo.prev)
		config_ref_put(c->undo.prev);
	c->undo.prev = NULL;
}

static void
control_do_commit(struct control *c, struct control_req *r, TAKE struct config_ref *ref)
{
	bool waits;

	if (r->timeout_s && !c->undo.safe)
		c->undo.safe = config_ref_get(c->conf);
	if (!r->answer.withheld)
		control_plan(c, ref->conf, r->soft, r);
	waits = commit(c, ref, r->soft);
	plan_revived(c, r);
	if (r->timeout_s) {
		c->undo.said_ns = 0;
		timer_set(
		    &c->undo.timer, loop_now_ns(&c->worker) + r->timeout_s * NS_PER_S);
		control_answer(r, CLI_UNDO_LATER, "Undo scheduled in %u s", r->timeout_s);
	} else {
		control_be_safe(c);
	}
	if (c->log.bad)
		control_answer(r, CLI_READING, "%s", c->log.bad);
	if (waits)
		control_answer(r, CLI_RECONFIGURING, "Reconfiguration in progress");
	else
		control_answer(r, CLI_RECONFIGURED, "Reconfigured");
	log_msg(LOG_C_INFO, "Reconfigured");
	control_event_configured(c, r);
}

/* control_check - commit_check, and bind new control sockets, so that the remaining steps
 * cannot fail. Returns: NULL, or text in @b. */
static const char *
control_check(struct control *c, const struct config *conf, struct strbuf *b)
{
	const char *bad;
	int rc;

	if (commit_check(c, conf, b))
		return b->s;
	rc = control_sockets_bind(c, conf, &bad);
	if (!rc)
		return NULL;
	control_sockets_unbind(c);
	strbuf_addf(b, "%s: control socket %s: %s", conf->path, bad, strerror(-rc));
	return b->s;
}

static void
control_take_conf(struct control *c, struct control_req *r)
{
	const struct config *conf = control_result_conf(r);
	struct strbuf b;

	if (!conf) { /* the reader has logged why */
		control_conf_failed(c, r);
		return;
	}
	if (!control_guard_check(c, conf, r) || !control_result_check(r)) {
		control_conf_failed(c, r);
		return;
	}
	strbuf_init(&b);
	if (control_check(c, conf, &b)) {
		control_answer(
		    r, CLI_BAD_CONF, "%s", r->answer.withheld ? CANNOT_COMMIT : b.s);
		log_msg(LOG_C_ERR, "%s", b.s);
		r->answer.place_len = r->answer.withheld ? 0
							 : (unsigned)strlen(conf->path);
		control_conf_failed(c, r);
	} else {
		control_do_commit(c, r, control_result_take(r));
	}
	strbuf_fini(&b);
}

/* control_check_conf - control_take_conf without the commit. Control sockets are not
 * bound. */
static void
control_check_conf(struct control *c, struct control_req *r)
{
	const struct config *conf = control_result_conf(r);
	struct config_ref *ref;
	struct strbuf b;

	strbuf_init(&b);
	if (commit_check(c, conf, &b)) {
		control_answer(
		    r, CLI_BAD_CONF, "%s", r->answer.withheld ? CANNOT_COMMIT : b.s);
	} else if (control_guard_check(c, conf, r) && control_result_check(r)) {
		ref = control_result_take(r);
		if (!r->answer.withheld)
			control_plan(c, conf, r->soft, r);
		if (!r->answer.withheld)
			control_log_check(c, conf, r);
		c->planned = NULL;
		control_answer(r, CLI_CHECKED, "Configuration OK");
		config_ref_put(ref);
	}
	strbuf_fini(&b);
}

static void
control_undo(struct control *c, struct control_req *r)
{
	struct config_ref *prev = c->undo.prev;
	struct strbuf b;

	control_answer(r, CLI_UNDO, "Undo requested");
	if (!prev) {
		control_answer(r, CLI_NOTHING_TO_DO, "Nothing to do");
		return;
	}
	strbuf_init(&b);
	if (control_check(c, prev->conf, &b)) {
		control_answer(r, CLI_BAD_CONF, "%s", b.s);
	} else {
		control_do_commit(c, r, config_ref_get(prev));
		control_no_undo(c);
	}
	strbuf_fini(&b);
}

static void
control_undo_fired(struct timer *tm)
{
	struct control *c = container_of(tm, struct control, undo.timer);
	char before[CONF_DIGEST_MAX];
	struct strbuf b;

	strbuf_init(&b);
	if (control_check(c, c->undo.safe->conf, &b)) {
		if (log_due(&c->undo.said_ns, loop_now_ns(&c->worker), 60 * NS_PER_S))
			log_msg(LOG_C_ERR, "Config timeout expired, undo waits: %s", b.s);
		timer_set(tm, loop_now_ns(&c->worker) + NS_PER_S);
	} else {
		control_sockets_notify(
		    c, LOG_C_INFO, "Config timeout expired, starting undo");
		snprintf(before, sizeof(before), "%s", c->conf->conf->digest);
		commit(c, config_ref_get(c->undo.safe), false);
		control_audit_timeout(c, before);
		log_msg(LOG_C_INFO, "Reconfigured");
		control_event_configured(c, NULL);
		control_be_safe(c);
		control_no_undo(c);
		control_sockets_close_dropped(c);
	}
	strbuf_fini(&b);
}

static void
control_confirm(struct control *c, struct control_req *r)
{
	if (timer_active(&c->undo.timer)) {
		control_be_safe(c);
		control_answer(r, CLI_CONFIRMED, "Reconfiguration confirmed");
	} else {
		control_answer(r, CLI_NOTHING_TO_DO, "Nothing to do");
	}
}

/* ---- shutdown ---- */

static void
control_end_worker(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_OTHER, m);
	worker_stop(w);
}

/* control_post_call - post a message that calls @fn, which frees the message. */
static void
control_post_call(struct worker *w, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

	m->handle = fn;
	worker_post(w, m);
}

/* control_all_others_gone - end the last workers: tables and CLI sessions have ended,
 * and may have sent requests before. The reader gets no further requests. */
static void
control_all_others_gone(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);

	mem_free(MEM_OTHER, m);
	signal_watch_close(&c->signals);
	control_sandbox_stop(c);
	iface_source_stop(&c->tern->ifaces);
	mrt_log_stop(c->tern);
	tern_part_stop(c->tern);
	control_post_call(&c->reader, control_end_worker);
}

static void
control_proto_is_gone(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);
	struct control_proto_gone *g = container_of(m, struct control_proto_gone, msg);

	if (instance_gone(c, g->p)) {
		list_add_tail(&c->end.instances, &g->p->link);
		worker_again(w);
	} else {
		proto_unlisted(g->p);
	}
	mem_free(MEM_PROTO, g);
}

/* control_run - after all messages of a turn, which may have ended several instances. */
static void
control_run(struct worker *w)
{
	struct control *c = container_of(w, struct control, worker);

	event_ring_run(c->tern->events);
	control_health_run(c);
	drain_run(c);
	if (!list_empty(&c->end.instances))
		control_show_gone(c);
	else if (c->members.grown)
		publish_view(c);
}

static void
control_all_gone(struct worker *w)
{
	latch_open(container_of(w, struct control, worker)->end.all_gone);
}

/* ---- the way of a control_request ---- */

/* control_req_answered - answer @r, and free a configuration that was not committed. */
static void
control_req_answered(TAKE struct control_req *r)
{
	struct config *conf = r->conf;

	r->conf = NULL;
	if (r->kind != CTL_PREVIEW && r->kind != CTL_RELEASE_PREVIEW)
		control_result_drop(r);
	control_answered(r);
	if (conf)
		config_free(conf);
}

static void
control_handle(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);
	struct control_req *r = container_of(m, struct control_req, msg);
	struct control_audit au;

	if (c->end.shut || (c->end.stopping && r->kind != CTL_DOWN)) {
		control_answer(r, CLI_IGNORED, "Reconfiguration ignored, shutting down");
		control_req_answered(r);
		return;
	}
	if (control_result_waits(c, r, control_handle))
		return;
	control_audit_begin(&au, c, r);
	switch (r->kind) {
	case CTL_CONFIGURE:
		control_take_conf(c, r);
		break;
	case CTL_UNDO:
		control_undo(c, r);
		break;
	case CTL_CONFIRM:
		control_confirm(c, r);
		break;
	case CTL_CONF_STATUS:
		control_conf_status(c, r);
		break;
	case CTL_DOWN:
		control_down(c, r);
		return;
	case CTL_GRACEFUL_CHECK:
		control_answer(r, CLI_CHECKED, "Neighbors that keep no routes: %u",
		    recovery_report(c, r));
		break;
	case CTL_GRACEFUL:
		(void)recovery_report(c, r);
		control_answer(r, CLI_GR_ORDERED, "Graceful restart requested");
		control_answered(r);
		recovery_leave(c);
		return;
	case CTL_LOG_REOPEN:
		control_log_reopen(c, r);
		break;
	case CTL_CHECK:
		control_check_conf(c, r);
		break;
	case CTL_PREVIEW:
		control_preview(c, r);
		break;
	case CTL_RELEASE_PREVIEW:
		control_preview_release(c, r);
		break;
	case CTL_OVERRIDE_ADD:
	case CTL_OVERRIDE_REMOVE:
	case CTL_OVERRIDE_EXTEND:
		control_overrides_act(c, r);
		return;
	default:
		control_act(c, r);
		return;
	}
	control_audit_end(&au, c, r);
	if (!r->wait) /* else answered after the wait */
		control_req_answered(r);
	control_sockets_close_dropped(c);
}

struct conf_env
control_conf_env(struct control *c)
{
	return (struct conf_env){ .class = c->begin.conf_classes,
		.custom = &c->custom,
		.cli_rule = daemon_cli_rule };
}

/* control_read_conf - in the reader's worker: may take long. */
static void
control_read_conf(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, reader);
	struct control_req *r = container_of(m, struct control_req, msg);
	struct conf_env env = control_conf_env(c);
	struct diag d;
	struct strbuf b;

	env.stop = &c->tern->shutting_down;
	diag_init(&d);
	d.reader_uid = r->named ? r->client.uid : 0;
	strbuf_init(&b);
	control_answer(r, CLI_READING, "Reading configuration from %s", r->path);
	log_msg(LOG_C_INFO, "Reading configuration from %s", r->path);
	r->conf = config_parse(r->path, &env, &d);
	r->answer.withheld = d.withheld ||
			     (r->named && r->client.restricted && r->client.uid);
	control_conf_warn(r, d.warnings.s);
	if (!r->conf) {
		diag_first(&d, &b);
		r->answer.place_len = d.place_len;
		control_answer(r, CLI_BAD_CONF, "%s", b.s);
		log_msg(LOG_C_ERR, "%s", b.s);
	}
	if (!r->conf && r->kind != CTL_CONFIGURE) {
		control_answered(r);
	} else {
		r->msg.handle = control_handle;
		worker_post(&c->worker, &r->msg);
	}
	strbuf_fini(&b);
	diag_fini(&d);
}

/* control_name_conf - without a path, reload the file in force. A client may have named
 * the file in force before: the words of that file are for users who may read the file.
 */
static void
control_name_conf(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, worker);
	struct control_req *r = container_of(m, struct control_req, msg);

	if (c->end.stopping) {
		control_handle(w, m);
		return;
	}
	if (!r->path)
		r->path = mem_strdup(MEM_OTHER, c->conf->conf->path);
	r->named = strcmp(r->path, c->begin.path) != 0;
	r->msg.handle = control_read_conf;
	worker_post(&c->reader, &r->msg);
}

static void
control_request(struct worker *w, TAKE struct msg *m)
{
	const struct control_req *r = container_of(m, struct control_req, msg);

	if (r->kind == CTL_CONFIGURE || r->kind == CTL_CHECK || r->kind == CTL_PREVIEW)
		control_name_conf(w, m);
	else
		control_handle(w, m);
}

/* ---- start ---- */

static void
control_got_signal(struct signal_watch *s, int signo)
{
	struct control *c = container_of(s, struct control, signals);

	if (signo == SIGHUP)
		control_post(c->tern, control_req_new(CTL_CONFIGURE));
	else if (signo == SIGUSR1)
		control_log_state(c);
	else if (signo == SIGUSR2)
		control_post(c->tern, control_req_new(CTL_LOG_REOPEN));
	else
		control_post(c->tern, control_req_new(CTL_DOWN));
}

static void
control_first(struct worker *w, TAKE struct msg *m)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGUSR2 };
	struct control *c = container_of(w, struct control, worker);
	struct config_ref *ref = c->conf;

	if (c->begin.hears && signal_watch_open(&c->signals, w, signals,
				  ARRAY_LEN(signals), control_got_signal) < 0)
		log_msg(LOG_C_ERR, "Cannot watch for signals");
	control_sandbox_start(c);
	control_ifaces_start(c->tern);
	c->conf = NULL; /* the first configuration has no undo */
	if (c->begin.recovers)
		recovery_begin(c);
	control_overrides_load(c);
	control_guard_first(ref->conf);
	control_event_started(c, ref->conf);
	commit(c, ref, false);
	if (c->begin.recovers)
		recovery_joined(c);
	mem_free(MEM_OTHER, m);
	log_msg(LOG_C_INFO, "Started");
	if (c->begin.started)
		latch_open(c->begin.started);
}

static void
control_gone(struct worker *w)
{
	struct control *c = container_of(w, struct control, worker);

	mem_free(MEM_CONFIG, c->bad.text);
	control_overrides_fini(c);
	lan_fini(c);
	control_state_fini(c);
	htab_fini(&c->instance_names);
	htab_fini(&c->tern->tables.by_name);
	mem_free(MEM_OTHER, c->log.bad);
	mem_free(MEM_OTHER, c->begin.path);
	iface_source_fini(&c->tern->ifaces);
	control_health_fini(c);
	event_ring_free(c->tern->events);
	tern_last_worker_gone(c->tern);
}

static void
control_reader_gone(struct worker *w)
{
	tern_last_worker_gone(container_of(w, struct control, reader)->tern);
}

/* control_trim_fired - malloc keeps memory of removed members; return it now and then. */
static void
control_trim_fired(struct timer *tm)
{
	os_malloc_trim(&container_of(tm, struct control, trim.timer)->trim.done);
	timer_set(tm, loop_now_ns(tm->worker) + TRIM_NS);
}

static void
control_reader_start(struct worker *w)
{
	struct control *c = container_of(w, struct control, reader);

	worker_patient(w); /* a large configuration takes seconds */
	timer_init(&c->trim.timer, w, control_trim_fired);
	timer_set(&c->trim.timer, loop_now_ns(w) + TRIM_NS);
}

static const struct worker_ops control_worker_ops = { .run = control_run,
	.gone = control_gone };
static const struct worker_ops reader_ops = { .start = control_reader_start,
	.gone = control_reader_gone };

const struct control_ops control_plane_ops = { .request = control_request,
	.proto_gone = control_proto_is_gone,
	.others_gone = control_all_others_gone,
	.alone = control_end_worker,
	.all_gone = control_all_gone };

void
control_start(struct control *c, struct tern *t, TAKE struct config *first)
{
	c->tern = t;
	t->control.worker = &c->worker;
	t->control.ops = &control_plane_ops;
	t->events = event_ring_new(t, clock_real_ns(clock_now_ns()) / NS_PER_MS);
	t->control.commands = daemon_commands;
	list_init(&c->instances);
	list_init(&c->tables);
	list_init(&c->end.instances);
	list_init(&c->end.tables);
	htab_init(&c->instance_names, MEM_CONFIG);
	htab_init(&t->tables.by_name, MEM_CONFIG);
	timer_init(&c->undo.timer, &c->worker, control_undo_fired);
	recovery_init(c);
	members_init(c);
	control_health_init(c);
	drain_init(c);
	lan_init(c);
	c->conf = config_ref_new(first);
	c->begin.path = mem_strdup(MEM_OTHER, first->path);
	c->conf_time_ns = clock_now_ns();
	publish_view(c); /* the CLI may ask before the first commit */
	tern_last_worker_start(t);
	tern_last_worker_start(t); /* of the interfaces */
	tern_last_worker_start(t);
	tern_part_start(t);
	worker_start(&c->worker, &control_worker_ops, WORKER_CONTROL, "control");
	worker_start(&c->reader, &reader_ops, WORKER_CONTROL, "config");
	control_post_call(&c->worker, control_first);
}
