/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon in the test's process: real control plane, tables, channels and control
 * socket; instances of a protocol made for tests announce routes. For one program at a
 * time. */
#ifndef TERN_TEST_CLI_RIG_H
#define TERN_TEST_CLI_RIG_H

#include "lib/wire/bgp/bgp_params.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/conf/conf_load.h"
#include "nest/channel/channel.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/daemon/control_priv.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/msg_cache.h"
#include "sysdep/os/latch.h"
#include "sysdep/loop/sock_unix.h"
#include "sysdep/os/clock.h"
#include "sysdep/log/log.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NETS 1500

/* ---- a protocol whose instances announce NETS routes each ---- */

struct fake {
	struct proto p; /* first */
	struct channel *ch;
	struct bgp_sink sink;
	uint32_t next; /* net to announce; the ring may have no room for all at once */
};

static size_t
cli_rig_tx_room(struct bgp_sink *k)
{
	(void)k;
	return 4000;
}

static void
cli_rig_tx_put(struct bgp_sink *k, const struct msg_piece *m)
{
	(void)k, (void)m;
}

static void
tx_event(struct bgp_sink *k)
{
	(void)k;
}

static const struct bgp_out fake_out = {
	.room = cli_rig_tx_room,
	.put = cli_rig_tx_put,
	.flush = tx_event,
	.end_of_rib = tx_event,
};

static void
no_event(struct channel *ch)
{
	(void)ch;
}

static void
cli_rig_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	(void)ch, (void)a, (void)k, (void)max;
}

static bool
cli_rig_refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static void
cli_rig_detached(struct channel *ch)
{
	proto_gone(channel_proto(ch));
}

/* Announce @cnt /24 nets from 20.0.0.0 up, backwards; the last digit of the name is the
 * peer. */
static void
cli_rig_announce(struct fake *f, uint32_t first, uint32_t cnt)
{
	uint8_t nlri[NETS * 4 + 16] = { 0 }, data[128], nh[4], path[10] = { 2, 2 };
	uint8_t peer = (uint8_t)(f->p.name[strlen(f->p.name) - 1] - '0');
	struct attr_local local = { .dest = DEST_UNREACHABLE, .rts = RTS_BGP };
	struct wbuf w = wbuf_of(data, sizeof(data));
	uint32_t len = 0;

	put_be32(path + 2, 100000u + peer);
	put_be32(path + 6, first + 1);
	put_be32(nh, 0x0a000000u + peer);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, sizeof(nh));
	for (uint32_t i = cnt; i--;) {
		struct prefix p = prefix_make(
		    ip4(0x14000000u + ((first + i) << 8)), 24, FAM_IP4);

		len += prefix_put(nlri + len, &p);
	}
	channel_import(f->ch, data, (uint32_t)wbuf_len(&w), &local, nlri, len);
}

/* As much as there is room for; the rest when there is room again. */
static void
announce_more(struct channel *ch)
{
	struct fake *f = container_of(channel_proto(ch), struct fake, p);

	for (; f->next < NETS && channel_import_ready(ch); f->next += 100)
		cli_rig_announce(f, f->next, 100);
}

static const struct channel_ops fake_ops = {
	.import_ready = announce_more,
	.limit = cli_rig_limit,
	.refresh = cli_rig_refresh,
	.slow = no_event,
	.detached = cli_rig_detached,
};

static const struct proto_class fake_class;

static void
cli_rig_make(struct proto *p, const struct conf_proto *cf)
{
	struct fake *f = container_of(p, struct fake, p);

	bgp_sink_init(&f->sink, &fake_out, false);
	f->ch = channel_new(&f->p, cf->chan, &fake_ops, &f->sink.sink);
}

static void
cli_rig_go_up(struct fake *f)
{
	uint8_t peer = (uint8_t)(f->p.name[strlen(f->p.name) - 1] - '0');
	struct route_source src = { .from = ip4(0x7f000100u + peer),
		.peer_as = 100000u + peer,
		.local_as = 65000,
		.is_bgp = true,
		.is_ebgp = true };
	struct export_rules rules = { .peer_addr = src.from };
	struct bgp_class cls;

	bgp_class_init(&cls);
	bgp_sink_up(&f->sink, &cls, &rules);
	channel_up(f->ch, &src);
	f->next = 0;
	announce_more(f->ch);
	proto_publish(&f->p, PS_UP, false, "Established   ", "");
}

static void
cli_rig_command(struct proto *p, struct proto_cmd *cmd)
{
	struct fake *f = container_of(p, struct fake, p);

	switch (cmd->kind) {
	case PROTO_START:
		cli_rig_go_up(f);
		break;
	case PROTO_STOP:
		channel_down(f->ch);
		proto_publish(p, PS_DOWN, true, "", cmd->message ? cmd->message : "");
		break;
	case PROTO_RECONF:
		proto_adopt_conf(p, cmd);
		channel_reconf(f->ch, cmd->change, cmd->soft);
		if (proto_status_get(p)->disabled && proto_revives(p, cmd))
			cli_rig_go_up(f);
		break;
	case PROTO_DELETE:
		channel_down(f->ch);
		channel_detach(f->ch);
		break;
	default:
		break;
	}
}

static void
free_fake(struct proto *p)
{
	struct fake *f = container_of(p, struct fake, p);

	channel_free(f->ch);
	bgp_sink_fini(&f->sink);
}

static int
cli_rig_rank(const struct route_cand *a, const struct route_cand *b)
{
	return a->src->peer_as < b->src->peer_as ? -1 : a->src->peer_as > b->src->peer_as;
}

static const struct conf_opt no_opts[] = { { .type = OPT_END } };
static const struct conf_class fake_conf = {
	.keyword = "fake",
	.name = "Fake",
	.kind = PROTO_BGP,
	.has_channels = true,
	.preference = 100,
	.opt = no_opts,
	.channel_opt = no_opts,
};
static const struct proto_class fake_class = {
	.conf = &fake_conf,
	.size = sizeof(struct fake),
	.make = cli_rig_make,
	.command = cli_rig_command,
	.free = free_fake,
	.order.rank = cli_rig_rank,
};

/* ---- the daemon ---- */

static const struct proto_class *const classes[] = { &fake_class, NULL };
static const struct conf_class *conf_classes[] = { &fake_conf, NULL };
static struct tern tern;
static struct control control;
static struct latch all_gone;
static char dir[] = "/tmp/tern-cli-XXXXXX", ctl[64], conf_path[64];

static const char conf_text[] =
    "router id 10.0.0.1;\n"
    "log \"/dev/null\" all;\n"
    "timeformat protocol iso long;\ntimeformat route iso long;\n"
    "define K = 5;\n"
    "filter f_out { if net.len > 24 || net ~ [ 20.0.1.0/24 ] then reject; accept; }\n"
    "protocol fake f1 { description \"first\";\n"
    "  ipv4 { import where net !~ [ 20.0.2.0/24 ]; import keep filtered; export filter "
    "f_out;\n"
    "    import limit 5000 action block; }; }\n"
    "protocol fake f2 { ipv4 { import all; export all; }; }\n"
    "protocol fake f3 { disabled; ipv4 { import all; export none; }; }\n";

static void
write_conf(const char *text)
{
	FILE *f = fopen(conf_path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static inline int
cli_rig_set_up(void **state)
{
	struct conf_env env = { .class = conf_classes, .custom = &control.custom };
	struct config *conf;
	struct diag d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(ctl, sizeof(ctl), "%s/ctl", dir);
	snprintf(conf_path, sizeof(conf_path), "%s/conf", dir);
	write_conf(conf_text);
	rcu_join();
	log_start();
	custom_registry_init(&control.custom);
	diag_init(&d);
	conf = config_parse(conf_path, &env, &d);
	if (!conf)
		print_message("%s\n", d.marked.s);
	assert_non_null(conf);
	diag_fini(&d);
	control.tern = &tern;
	control.begin.conf_classes = conf_classes;
	control.begin.nofile = 1024;
	tern.store = attr_store_new();
	tern.origins = origins_new();
	tern.session_classes = class_registry_new();
	tern.seg_class = &bgp_seg_class;
	tern.process.start_ns = clock_now_ns();
	tern.classes = classes;
	latch_init(&all_gone);
	control.end.all_gone = &all_gone;
	assert_int_equal(control_socket_bind(&control, ctl, NULL), 0);
	control_start(&control, &tern, conf);
	rcu_sleep();
	return 0;
}

static inline int
cli_rig_tear_down(void **state)
{
	struct tern_view *v;
	struct attr_store_stats st;

	(void)state;
	rcu_wake();
	v = load_acquire_ptr(&tern.view); /* pairs: TVIEW */
	config_ref_put(v->conf);
	mem_free(MEM_CONFIG, v->proto);
	mem_free(MEM_CONFIG, v->table);
	mem_free(MEM_CONFIG, v->rpki);
	mem_free(MEM_CONFIG, v->conf_bad);
	mem_free(MEM_CONFIG, v->state_bad);
	mem_free(MEM_CONFIG, v);
	config_ref_put(control.conf);
	if (control.undo.prev)
		config_ref_put(control.undo.prev);
	loop_pool_fini();
	rcu_drain();
	attr_store_stats(tern.store, &st);
	assert_int_equal(st.sets, 1); /* the empty one: commands kept none */
	class_registry_free(tern.session_classes);
	channel_spares_free(&tern);
	attr_store_free(tern.store);
	origins_free(tern.origins);
	custom_registry_fini(&control.custom);
	log_stop();
	rcu_leave();
	unlink(conf_path);
	rmdir(dir);
	return 0;
}

#endif
