/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of filters: a configuration from a text, and a route to run its filters
 * on. */
#ifndef TERN_TEST_LIB_FILTER_RUN_H
#define TERN_TEST_LIB_FILTER_RUN_H

#include "nest/conf/config.h"
#include "nest/conf/opt/conf_device.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/pipe/pipe.h"
#include "proto/static/static.h"
#include "test/lib/conf_text.h"
#include <stdio.h>
#include <stdlib.h>

struct filter_rig {
	struct custom_registry reg;
	struct strbuf log;
	struct diag d;
	struct config *cfg;
	struct arena arena;
	struct filter_thread *thread;
	struct filter_env env;
	struct route_source src;
	struct route_view view;
	struct attr_edit edit;
	uint32_t reads;
	uint64_t now_ns; /* what filters take for the time */
	void *mem[16]; /* sets that were made */
	unsigned mem_cnt;
	bool quiet; /* errors are expected */
};

static void
filter_rig_log(void *ctx, const char *line)
{
	struct strbuf *b = &((struct filter_rig *)ctx)->log;

	strbuf_adds(b, line);
	strbuf_addc(b, '\n');
}

static uint64_t
filter_rig_now(void *ctx)
{
	return ((struct filter_rig *)ctx)->now_ns;
}

/* filter_rig_config - parse @text (a device is added). Returns: whether it was
 * accepted. */
static inline bool
filter_rig_config(struct filter_rig *g, const char *text)
{
	static const struct conf_class *const classes[] = { &device_conf_class,
		&bgp_conf_class, &static_conf_class, &pipe_conf_class, NULL };
	struct conf_env env = { .class = classes, .custom = &g->reg };
	struct strbuf b;

	strbuf_init(&b);
	strbuf_adds(&b, text);
	strbuf_adds(&b, "\nprotocol device {}\n");
	config_free(g->cfg);
	diag_fini(&g->d);
	diag_init(&g->d);
	g->cfg = conf_text_parse(b.s, b.len, &env, &g->d);
	strbuf_fini(&b);
	if (!g->cfg && !g->quiet)
		fprintf(stderr, "%s", g->d.marked.s);
	return g->cfg != NULL;
}

/* filter_rig_freeze - what the edit holds now becomes an immutable set, and a new edit
 * starts from it. */
static inline void
filter_rig_freeze(struct filter_rig *g)
{
	struct attr_set *s = calloc(1, sizeof(*s) + 4096);
	struct wire_set *w = calloc(1, sizeof(*w) + 4096);
	uint64_t *custom = NULL;
	uint8_t *data = NULL;
	int len = attr_edit_wire(&g->edit, &data),
	    clen = attr_edit_custom(&g->edit, &custom);

	ASSERT(len >= 0 && len < 4096 && clen >= 0 && clen < 4096 &&
	       g->mem_cnt < ARRAY_LEN(g->mem));
	w->len = (uint16_t)len;
	if (len)
		memcpy(w->data, data, (size_t)len);
	wire_fill(w);
	s->wire = w;
	s->local = g->edit.local;
	s->local.custom_words = (uint16_t)(clen / 8);
	if (clen)
		memcpy(attr_custom(s), custom, (size_t)clen);
	g->mem[g->mem_cnt++] = s;
	g->mem[g->mem_cnt++] = w;
	attr_edit_init(&g->edit, &g->arena, s);
	g->view.set = s;
}

static inline void
filter_rig_init(struct filter_rig *g)
{
	static struct wire_set none;
	static struct attr_set base = { .wire = &none,
		.local = { 100, UINT32_MAX, 1, RTS_BGP, 0 } };

	memset(g, 0, sizeof(*g));
	none.origin = ORIGIN_INCOMPLETE;
	custom_registry_init(&g->reg);
	diag_init(&g->d);
	arena_init(&g->arena, MEM_OTHER, 4096);
	strbuf_init(&g->log);
	g->now_ns = 1;
	g->thread = filter_thread_new(NULL);
	g->env = (struct filter_env){
		.log = filter_rig_log, .ctx = g, .now_ns = filter_rig_now
	};
	g->src = (struct route_source){ .proto = "peer1", .from = ip4(0x7f000001) };
	g->view = (struct route_view){ .net = prefix_make(ip4(0xcb007100), 24, FAM_IP4),
		.src = &g->src,
		.set = &base };
	attr_edit_init(&g->edit, &g->arena, &base);
}

static inline void
filter_rig_fini(struct filter_rig *g)
{
	while (g->mem_cnt)
		free(g->mem[--g->mem_cnt]);
	config_free(g->cfg);
	diag_fini(&g->d);
	filter_thread_free(g->thread);
	strbuf_fini(&g->log);
	arena_fini(&g->arena);
	custom_registry_fini(&g->reg);
}

/* filter_rig_path - AS_PATH of one sequence, ended by 0. */
static inline void
filter_rig_path(struct filter_rig *g, const uint32_t *as)
{
	uint8_t buf[2 + 4 * 64] = { AS_SEQUENCE, 0 };

	while (as[buf[1]]) {
		put_be32(buf + 2 + 4 * buf[1], as[buf[1]]);
		buf[1]++;
	}
	ASSERT(!attr_edit_set(
	    &g->edit, ATTR_AS_PATH, 0x40, buf, buf[1] ? 2u + 4u * buf[1] : 0));
}

/* filter_rig_run - run the filter of that name on the route. */
static inline enum filter_verdict
filter_rig_run(struct filter_rig *g, const char *name)
{
	struct sym *s = sym_find(g->cfg->symbols, name);

	ASSERT(s && s->class == SYM_FILTER);
	strbuf_reset(&g->log);
	return filter_run(s->filter, g->thread, &g->env, &g->view, &g->edit, &g->reads);
}

#endif
