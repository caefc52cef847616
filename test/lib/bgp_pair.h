/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of BGP, stand-ins for what nest/ gives, and two peers over loopback. */
#ifndef TERN_TEST_LIB_BGP_PAIR_H
#define TERN_TEST_LIB_BGP_PAIR_H

#include "proto/bgp/bgp.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"
#include "test/lib/bgp_pair_channel.h"
#include "test/lib/unit.h"
#include <stdio.h>

/* ---- stand-ins for the core ---- */

const struct conf_class bgp_conf_class = { .name = "BGP" };

void
proto_adopt_conf(struct proto *p, struct proto_cmd *cmd)
{
	p->cf = cmd->cf;
}

static void
bgp_pair_free_status(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct proto_status, rcu));
}

void
proto_publish(struct proto *p, enum proto_state state, bool disabled, const char *info,
    const char *message)
{
	struct proto_status *st = mem_zalloc(MEM_PROTO, sizeof(*st)),
			    *old = load_relaxed_ptr(&p->status);

	st->state = state;
	st->disabled = disabled;
	snprintf(st->info, sizeof(st->info), "%s", info);
	snprintf(st->message, sizeof(st->message), "%s", message);
	store_release_ptr(&p->status, st); /* pairs: PSTATUS */
	if (old)
		rcu_free_later(&old->rcu, bgp_pair_free_status);
}

void
proto_gone(struct proto *p)
{
	p->end.stopped = true;
	worker_stop(&p->worker);
}

void
proto_log(const struct proto *p, enum log_class c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	if (!getenv("TERN_VERBOSE"))
		return;
	va_start(ap, fmt);
	fprintf(stderr, "%s: ", p->name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

/* ---- two instances ---- */

static struct tern tern;
static unsigned port = 20000;

/* pair_port - where a test program begins: not where another one does, and below the
 * ports that the kernel gives to who connects. */
static inline unsigned
pair_port(void)
{
	return 20000 + (unsigned)getpid() % 187 * 64;
}

/* What is waited for is given up after some 20 s. */
#define PAIR_WAIT_MS 20000

struct peer {
	struct conf_proto cf;
	struct bgp_conf bgp;
	struct conf_channel chan;
	struct bgp_channel_conf cc;
	struct proto *p;
};

static void
w_start(struct worker *w)
{
	bgp_proto_class.start(container_of(w, struct proto, worker));
}

static void
w_run(struct worker *w)
{
	struct proto *p = container_of(w, struct proto, worker);

	if (!p->end.stopped && send_some(load_relaxed_ptr(&p->channels)))
		worker_again(w);
}

static void
w_gone(struct worker *w)
{
	struct proto *p = container_of(w, struct proto, worker);

	mem_free(MEM_PROTO, load_relaxed_ptr(&p->status));
	bgp_proto_class.free(p);
	mem_free(MEM_PROTO, p);
	tern_worker_gone(&tern);
}

static const struct worker_ops w_ops = { .start = w_start, .run = w_run, .gone = w_gone };

static void
peer_conf(struct peer *x, const char *name, unsigned n, unsigned other)
{
	memset(x, 0, sizeof(*x));
	x->cf = (struct conf_proto){ .class = &bgp_conf_class,
		.name = name,
		.router_id = n,
		.opt = &x->bgp,
		.chan = &x->chan };
	x->chan = (struct conf_channel){
		.family = FAM_IP4, .name = "ipv4", .opt = &x->cc
	};
	x->bgp = (struct bgp_conf){ .id.local_as = 65000 + n,
		.id.remote_as = 65000 + other,
		.id.ebgp = true,
		.id.local_ip = ip4(0x7f010000 + n),
		.id.remote_ip = ip4(0x7f010000 + other),
		.id.local_port = (uint16_t)port,
		.id.remote_port = (uint16_t)port,
		.tcp.strict_bind = true,
		.tcp.multihop = true,
		.tcp.ttl = 64,
		.timers.hold_s = 240,
		.timers.startup_hold_s = 240,
		.timers.connect_retry_s = 120,
		.timers.error_wait_min_s = 60,
		.timers.error_wait_max_s = 300,
		.timers.error_forget_s = 300,
		.caps.enable = true,
		.caps.enable_as4 = true,
		.caps.enable_refresh = true,
		.policy.role = BGP_ROLE_NONE,
		.decision.default_local_pref = 100 };
}

struct cmd_msg {
	struct msg msg;
	struct proto *p;
	struct proto_cmd cmd;
};

static void
bgp_pair_handle_cmd(struct worker *w, struct msg *m)
{
	struct cmd_msg *c = container_of(m, struct cmd_msg, msg);

	(void)w;
	if (!c->p->end.stopped)
		bgp_proto_class.command(c->p, &c->cmd);
	mem_free(MEM_PROTO, c);
}

static void
bgp_pair_post_cmd(
    struct peer *x, enum proto_cmd_kind kind, enum proto_reason why, const char *text)
{
	struct cmd_msg *c = mem_zalloc(MEM_PROTO, sizeof(*c));

	c->msg.handle = bgp_pair_handle_cmd;
	c->p = x->p;
	c->cmd = (struct proto_cmd){ .proto = x->p,
		.kind = kind,
		.reason = why,
		.message = (char *)(uintptr_t)text };
	worker_post(&x->p->worker, &c->msg);
}

static void
handle_ready(struct worker *w, struct msg *m)
{
	struct cmd_msg *c = container_of(m, struct cmd_msg, msg);
	struct channel *ch = load_relaxed_ptr(&c->p->channels);

	(void)w;
	ch->ops->import_ready(ch);
	mem_free(MEM_PROTO, c);
}

/* bgp_pair_post_ready - what the channel says when its ring has room again. */
static inline void
bgp_pair_post_ready(struct peer *x)
{
	struct cmd_msg *c = mem_zalloc(MEM_PROTO, sizeof(*c));

	c->msg.handle = handle_ready;
	c->p = x->p;
	worker_post(&x->p->worker, &c->msg);
}

static void
peer_start(struct peer *x)
{
	if (!tern.session_classes)
		tern.session_classes = class_registry_new();
	x->p = mem_zalloc(MEM_PROTO, bgp_proto_class.size);
	x->p->cls = &bgp_proto_class;
	x->p->tern = &tern;
	bgp_proto_class.make(x->p, &x->cf);
	x->p->name = x->cf.name;
	store_release_ptr(&x->p->conf_pub, &x->cf); /* pairs: PCONF */
	counter32_add(&tern.workers.cnt, 1);
	worker_start(&x->p->worker, &w_ops, WORKER_SESSION, x->cf.name);
	bgp_pair_post_cmd(x, PROTO_START, PR_NONE, NULL);
}

static inline struct channel *
bgp_pair_chan_of(struct peer *x)
{
	return load_acquire_ptr(&x->p->channels); /* pairs: PCHAN */
}

/* info_is - does the row of @x begin with @want? */
static bool
info_is(struct peer *x, const char *want)
{
	const struct proto_status *st = load_acquire_ptr(
	    &x->p->status); /* pairs: PSTATUS */
	bool is = st && !strncmp(st->info, want, strlen(want));

	rcu_quiesce();
	return is;
}

static void
wait_info(struct peer *x, const char *want)
{
	for (int i = 0; i < PAIR_WAIT_MS; i++) {
		if (info_is(x, want))
			return;
		wait_pause(1000);
		rcu_quiesce();
	}
	fail_msg("%s: %s isn't %s", x->cf.name, proto_status_get(x->p)->info, want);
}

static inline void
wait_count(struct counter64 *c, uint64_t want)
{
	for (int i = 0; i < PAIR_WAIT_MS && counter64_get(c) != want; i++) {
		wait_pause(1000);
		rcu_quiesce();
	}
	assert_int_equal(counter64_get(c), want);
}

static void
bgp_pair_all_gone(void)
{
	for (int i = 0; i < PAIR_WAIT_MS; i++) {
		rcu_quiesce();
		if (!counter32_get(&tern.workers.cnt))
			break;
		wait_pause(1000);
	}
	/* acquire: what the workers did is seen here */
	assert_int_equal(counter32_sub_acq_rel(&tern.workers.cnt, 0), 0);
	assert_null(load_relaxed_ptr(&tern.listener));
	class_registry_free(tern.session_classes); /* none is held */
	tern.session_classes = NULL;
	port++;
}

static void
bgp_pair_end(struct peer *a, struct peer *b)
{
	bgp_pair_post_cmd(a, PROTO_DELETE, PR_CMD_SHUTDOWN, NULL);
	if (b)
		bgp_pair_post_cmd(b, PROTO_DELETE, PR_CMD_SHUTDOWN, NULL);
	bgp_pair_all_gone();
}

static void
bgp_pair_conf(struct peer *a, struct peer *b)
{
	peer_conf(a, "a", 1, 2);
	peer_conf(b, "b", 2, 1);
}

static inline void
both_up(struct peer *a, struct peer *b)
{
	peer_start(b);
	wait_spread(5000); /* it listens by then: a refused connect would cost a second */
	peer_start(a);
	wait_info(a, "Established");
	wait_info(b, "Established");
}

#endif
