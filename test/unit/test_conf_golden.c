/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays test/conf: each X.conf is parsed; X.err holds the exact errors, or X.ok the
 * configuration as it is printed here, with its warnings. A line "#eval EXPR" in X.conf
 * adds the value of EXPR, "#code NAME" the code of a filter or function.
 *
 * TERN_GOLDEN=write replaces the files by what comes out: look at the difference before
 * committing. */
#include "filter/run/code.h"
#include "filter/run/value.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/opt/conf_device.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "nest/rib/index/aspa_set.h"
#include "proto/direct/direct_conf.h"
#include "proto/bfd/bfd_conf.h"
#include "proto/bmp/bmp.h"
#include "proto/image/image_conf.h"
#include "proto/mrt/mrt.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/pipe/pipe.h"
#include "proto/rpki/rpki.h"
#include "proto/static/static.h"
#include "proto/static/static_route.h"
#include "test/lib/unit.h"
#include "sysdep/os/clock.h"
#include <glob.h>
#include <stdio.h>

static const struct conf_class *const classes[] = { &device_conf_class, &bgp_conf_class,
	&static_conf_class, &direct_conf_class, &kernel_conf_class, &pipe_conf_class,
	&rpki_conf_class, &mrt_conf_class, &bmp_conf_class, &bfd_conf_class,
	&image_conf_class, NULL };

static char *
test_conf_golden_read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t len;

	if (!f)
		return NULL;
	text = calloc(1, 1 << 20);
	len = fread(text, 1, (1 << 20) - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

static void
print_limit(struct strbuf *b, const char *name, const struct conf_limit *l)
{
	static const char *const action[] = { "off", "warn", "block", "restart",
		"disable" };

	if (l->action)
		strbuf_addf(b, " %s %u %s", name, l->max, action[l->action]);
}

static void
print_channel(struct strbuf *b, const struct conf_proto *p, const struct conf_channel *c)
{
	const struct bgp_channel_conf *o = bgp_channel_conf_of(c);
	char in[PREFIX_STR_MAX];

	strbuf_addf(b, "  %s: table %s, preference %u, import %s, export %s", c->name,
	    c->table->name, c->preference, filter_name(c->import),
	    filter_name(c->export));
	print_limit(b, "import limit", &c->limit.import);
	print_limit(b, "receive limit", &c->limit.receive);
	print_limit(b, "export limit", &c->limit.export);
	if (c->keep_filtered)
		strbuf_adds(b, ", keep filtered");
	if (c->has_export_in)
		strbuf_addf(b, ", in %s", prefix_str(in, &c->export_in));
	if (p->kind == PROTO_BGP)
		strbuf_addf(b, ", next hop keep %u self %u%s%s%s%s", o->next_hop_keep,
		    o->next_hop_self, o->import_table ? ", import table" : "",
		    o->export_table ? ", export table" : "",
		    o->secondary ? ", secondary" : "",
		    o->gateway_recursive ? ", recursive" : "");
	if (p->kind == PROTO_BGP && o->add_paths)
		strbuf_addf(b, ", add paths %u%s", o->add_paths,
		    o->require_add_paths ? " required" : "");
	strbuf_addc(b, '\n');
}

static void
print_bgp(struct strbuf *b, const struct bgp_conf *o)
{
	char local[IP_STR_MAX], remote[IP_STR_MAX];

	strbuf_addf(b, "  %s port %u as %u -> %s port %u as %u",
	    ip_str(local, o->id.local_ip), o->id.local_port, o->id.local_as,
	    ip_str(remote, o->id.remote_ip), o->id.remote_port, o->id.remote_as);
	strbuf_adds(b, o->id.ebgp ? ", external" : ", internal");
	if (o->tcp.multihop)
		strbuf_addf(b, ", multihop %u", o->tcp.ttl);
	strbuf_addf(b, "%s%s%s%s%s%s\n", o->tcp.passive ? ", passive" : "",
	    o->tcp.strict_bind ? ", strict bind" : "",
	    o->policy.rs_client ? ", rs client" : "",
	    o->policy.rr_client ? ", rr client" : "",
	    o->tcp.ttl_security ? ", ttl security" : "",
	    o->auth.password ? ", password" : "");
	strbuf_addf(b,
	    "  hold %u/%u/%u keepalive %u send hold %d:%u delay %u retry %u error "
	    "%u-%u/%u\n",
	    o->timers.hold_s, o->timers.min_hold_s, o->timers.startup_hold_s,
	    o->timers.keepalive_s, o->timers.has_send_hold, o->timers.send_hold_s,
	    o->timers.connect_delay_s, o->timers.connect_retry_s,
	    o->timers.error_wait_min_s, o->timers.error_wait_max_s,
	    o->timers.error_forget_s);
	strbuf_addf(b, "  as sets %d older %d cease %x tx class %x role %u\n",
	    o->policy.allow_as_sets, o->decision.prefer_older,
	    o->timers.disable_after_cease, o->tcp.tx_class, o->policy.role);
	strbuf_addf(b,
	    "  as4 %d refresh %d communities %d first as %d local as %u metrics %d%d%d%d "
	    "med %u pref %u\n",
	    o->caps.enable_as4, o->caps.enable_refresh, o->policy.interpret_communities,
	    o->policy.enforce_first_as, o->policy.allow_local_as, o->decision.path_metric,
	    o->decision.med_metric, o->decision.igp_metric, o->decision.prefer_older,
	    o->decision.default_med, o->decision.default_local_pref);
}

static void
print_rpki(struct strbuf *b, const struct rpki_conf *o)
{
	const struct rpki_time *t[] = { &o->refresh, &o->retry, &o->expire };
	char ip[IP_STR_MAX], local[IP_STR_MAX];

	strbuf_addf(b, "  cache %s port %u from %s,",
	    o->host ? o->host : ip_str(ip, o->ip), rpki_port(o),
	    ip_str(local, o->local_ip));
	for (unsigned i = 0; i < ARRAY_LEN(t); i++)
		strbuf_addf(b, " %s%u", t[i]->keep ? "keep " : "", t[i]->sec);
	strbuf_addf(b, ", version %u to %u%s, %s", o->min_version, o->max_version,
	    o->ignore_max_length ? ", any length" : "",
	    o->transport == RPKI_SSH ? "ssh" : "tcp");
	if (o->auth == RPKI_AUTH_MD5) {
		char secret[VEIL_MAX + 1];

		unveil_text(secret, o->password);
		strbuf_addf(b, " md5 %s", secret);
	}
	if (o->transport == RPKI_SSH)
		strbuf_addf(b, " key %s, cache's %s, user %s", o->private_key,
		    o->public_key ? o->public_key : "any", o->user);
	strbuf_adds(b, "\n");
}

static void
print_bmp(struct strbuf *b, const struct bmp_conf *m)
{
	char text[IP_STR_MAX];

	for (unsigned i = 0; i < m->station_cnt; i++)
		strbuf_addf(b, "  station %s port %u\n", ip_str(text, m->station[i].ip),
		    m->station[i].port);
	strbuf_addf(b,
	    "  bmp of %s: pre %d post %d local %d mirror %d, stats %u, retry %u, buffer "
	    "%u, name %s, description %s\n",
	    m->peers, m->in_pre, m->in_post, m->loc_rib, m->mirror, m->stats_s,
	    m->retry_s, m->buffer_mb, m->sys_name ? m->sys_name : "-",
	    m->sys_descr ? m->sys_descr : "-");
}

static void
print_mrt(struct strbuf *b, const struct mrt_conf *o)
{
	strbuf_addf(b, "  tables %s, file %s, period %u, filter %s%s\n", o->tables,
	    o->filename, o->period_s, filter_name(o->filter),
	    o->add_path ? ", add path" : "");
}

/* test_conf_golden_add_opened - append the text of @o; each key stands in place of its
 * veiled form. */
static void
test_conf_golden_add_opened(struct strbuf *b, const struct bfd_opts *o)
{
	const char *p = o->text;
	unsigned key = 0;

	while (*p) {
		size_t n = strcspn(p, " ");

		if (n == 2 * sizeof(o->key->secret)) {
			struct bfd_key k;

			bfd_opts_key_open(&k, &o->key[key++]);
			for (unsigned i = 0; i < k.len; i++)
				strbuf_addf(b, "%02x", k.octet[i]);
		} else {
			strbuf_add(b, p, n);
		}
		p += n;
		if (*p)
			strbuf_addc(b, *p++);
	}
}

static void
print_bfd_opts(struct strbuf *b, const char *what, const struct bfd_opts *o)
{
	strbuf_addf(b, "  %s: %s", what, o ? "" : "-");
	if (o)
		test_conf_golden_add_opened(b, o);
	strbuf_adds(b, "\n");
}

static void
print_bfd(struct strbuf *b, const struct bfd_conf *o)
{
	char peer[IP_STR_MAX], local[IP_STR_MAX];

	strbuf_addf(b, "  takes %x%s%s\n", bfd_conf_takes(o),
	    o->strict_bind ? ", strict bind" : "",
	    o->zero_checksum ? ", zero checksums" : "");
	for (const struct bfd_iface_conf *i = o->iface; i; i = i->next) {
		for (const struct iface_pattern *p = i->pattern; p; p = p->next)
			strbuf_addf(b, "  interface %s%s%s\n", p->negative ? "-" : "",
			    p->mask ? p->mask : "", p->has_in ? " (prefix)" : "");
		print_bfd_opts(b, "options", i->opts);
	}
	print_bfd_opts(b, "multihop", o->multihop);
	for (const struct bfd_neighbor_conf *n = o->neighbor; n; n = n->next)
		strbuf_addf(b, "  neighbor %s local %s dev %s%s\n", ip_str(peer, n->peer),
		    ip_str(local, n->local), n->ifname ? n->ifname : "-",
		    n->multihop ? " multihop" : "");
}

/* print_direct - from the last `interface` to the first. */
static void
print_direct(struct strbuf *b, const struct direct_conf *o)
{
	char net[PREFIX_STR_MAX];

	for (const struct direct_ifaces *d = o->last; d; d = d->before) {
		strbuf_adds(b, "  interface");
		for (const struct iface_pattern *p = d->pattern; p; p = p->next)
			strbuf_addf(b, "%s %s%s%s%s", p == d->pattern ? "" : ",",
			    p->negative ? "-" : "", p->mask ? p->mask : "",
			    p->mask && p->has_in ? " " : "",
			    p->has_in ? prefix_str(net, &p->in) : "");
		strbuf_adds(b, "\n");
	}
	strbuf_addf(b, "  check link %d\n", o->check_link);
}

static void
print_static(struct strbuf *b, const struct static_conf *o)
{
	char net[PREFIX_STR_MAX], ip[IP_STR_MAX];

	for (uint32_t i = 0; i < o->item_cnt; i++) {
		const struct static_route *r = o->item[i].r;

		if (r->kind == STATIC_ASPA) {
			strbuf_addf(b, "  route aspa %u providers ", r->vrp.asn);
			aspa_print_providers(b, r->provider, r->provider_cnt);
			strbuf_adds(b, r->code ? " with code\n" : "\n");
			continue;
		}
		strbuf_addf(b, "  route %s", prefix_str(net, &r->vrp.net));
		if (r->kind == STATIC_ROA)
			strbuf_addf(b, " max %u as %u", r->vrp.max_len, r->vrp.asn);
		else
			strbuf_addf(b, " to %u", r->dest);
		for (unsigned k = 0; k < r->via_cnt; k++) {
			const struct static_via *v = &r->via[k];

			strbuf_addf(b, " %s %s%%%s%s weight %u",
			    v->recursive ? "recursive" : "via", ip_str(ip, v->gw),
			    v->ifname ? v->ifname : "", v->onlink ? " onlink" : "",
			    v->weight);
		}
		strbuf_adds(b, r->code ? " with code\n" : "\n");
	}
}

static void
print_globals(struct strbuf *b, const struct config *c)
{
	char id[IP_STR_MAX];
	unsigned i;

	strbuf_addf(b, "router id %s, hostname %s, threads %u, debug %x %x %x\n",
	    ip_str(id, ip4(c->router_id)), c->hostname ? c->hostname : "-",
	    c->threads.cnt, c->debug.protocols, c->debug.channels, c->debug.tables);
	strbuf_addf(b, "times: %s | %s | %s | %s\n", c->time.route.fmt,
	    c->time.protocol.fmt, c->time.base.fmt, c->time.log.fmt);
	for (i = 0; i < c->log.cnt; i++)
		strbuf_addf(b, "log %u %x %s %llu %s\n", c->log.sink[i].target,
		    c->log.sink[i].classes,
		    c->log.sink[i].path ? c->log.sink[i].path : "-",
		    (unsigned long long)c->log.sink[i].limit,
		    c->log.sink[i].backup ? c->log.sink[i].backup : "-");
	for (i = 0; i < c->cli.cnt; i++)
		strbuf_addf(b, "cli %s%s\n", c->cli.at[i].path,
		    c->cli.at[i].restricted ? " restrict" : "");
	for (i = 0; i < c->table_cnt; i++)
		strbuf_addf(b, "table %s %u%s\n", c->table[i]->name, c->table[i]->kind,
		    c->table[i]->sorted ? " sorted" : "");
}

static void
print_symbols(struct strbuf *b, const struct config *c)
{
	const struct sym *s;

	for (s = c->symbols->first; s; s = s->defined) {
		strbuf_addf(b, "%s: %s", s->name, sym_class_name(s->class));
		if (s->class == SYM_CONSTANT) {
			strbuf_adds(b, " ");
			fvalue_print(b, &s->value);
		} else if (s->class == SYM_FUNCTION) {
			strbuf_addf(b, " -> %s, reads %x writes %d", ftype_name(s->type),
			    s->func->code.reads, s->func->code.writes);
		} else if (s->class == SYM_FILTER) {
			strbuf_addf(b, " reads %x writes %d", filter_may_read(s->filter),
			    filter_may_write(s->filter));
		} else if (s->class == SYM_ATTRIBUTE) {
			strbuf_addf(b, " %s %u", ftype_name(s->type), s->slot);
		}
		strbuf_addc(b, '\n');
	}
}

static void
print_config(struct strbuf *b, const struct config *c)
{
	unsigned i;

	print_globals(b, c);
	print_symbols(b, c);
	for (i = 0; i < c->proto_cnt; i++) {
		const struct conf_proto *p = c->proto[i];
		const struct conf_channel *ch;
		char id[IP_STR_MAX];

		strbuf_addf(b, "%s %s: id %s, restart %u, debug %x%s%s%s\n",
		    p->class->name, p->name, ip_str(id, ip4(p->router_id)),
		    (unsigned)(p->restart_time_ns / NS_PER_S), p->debug,
		    p->disabled ? ", disabled" : "", p->description ? ", " : "",
		    p->description ? p->description : "");
		if (p->kind == PROTO_BGP)
			print_bgp(b, bgp_conf_of(p));
		if (p->kind == PROTO_STATIC)
			print_static(b, p->opt);
		if (p->kind == PROTO_DIRECT)
			print_direct(b, p->opt);
		else if (p->kind == PROTO_BFD)
			print_bfd(b, p->opt);
		if (p->kind == PROTO_MRT)
			print_mrt(b, p->opt);
		if (p->kind == PROTO_RPKI)
			print_rpki(b, p->opt);
		if (p->kind == PROTO_BMP)
			print_bmp(b, p->opt);
		for (ch = p->chan; ch; ch = ch->next)
			print_channel(b, p, ch);
	}
}

static void
eval_line(struct strbuf *b, const struct config *c, const char *expr)
{
	struct filter_thread *t = filter_thread_new(NULL);
	struct strbuf out;
	struct cli_expr *x;
	size_t used;

	strbuf_init(&out);
	x = cli_expr_parse(c, CLI_EXPR_EVAL, expr, &used, &out);
	strbuf_addf(b, "%s => ", expr);
	if (!x)
		strbuf_addf(b, "error: %s\n", out.s);
	else if (cli_expr_eval(x, t, NULL, &out))
		strbuf_addf(b, "run-time error: %s\n", out.s);
	else
		strbuf_addf(b, "%s\n", out.s);
	cli_expr_free(x);
	strbuf_fini(&out);
	filter_thread_free(t);
}

static void
code_line(struct strbuf *b, const struct config *c, const char *name)
{
	const struct sym *s = sym_find(c->symbols, name);

	strbuf_addf(b, "code of %s\n", name);
	if (s && s->class == SYM_FILTER)
		fcode_print(b, &s->filter->code);
	else if (s && s->class == SYM_FUNCTION)
		fcode_print(b, &s->func->code);
}

/* Lines of the configuration that begin with #eval or #code. */
static void
test_conf_golden_directives(struct strbuf *b, const struct config *c, const char *text)
{
	const char *p = text;
	char line[1000];

	while (*p) {
		size_t len = strcspn(p, "\n");

		if (len < sizeof(line) && p[0] == '#') {
			memcpy(line, p, len);
			line[len] = '\0';
			if (!strncmp(line, "#eval ", 6))
				eval_line(b, c, line + 6);
			else if (!strncmp(line, "#code ", 6))
				code_line(b, c, line + 6);
		}
		p += len + (p[len] == '\n');
	}
}

/* Returns: whether the result is what the golden file says. */
static bool
test_conf_golden_replay(const char *conf)
{
	struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	char path[300], *want, *text = test_conf_golden_read_file(conf);
	struct config *c;
	struct strbuf out;
	struct diag d;
	bool same;

	custom_registry_init(&reg);
	diag_init(&d);
	strbuf_init(&out);
	c = config_parse(conf, &env, &d);
	if (c) {
		strbuf_adds(&out, d.warnings.s);
		print_config(&out, c);
		test_conf_golden_directives(&out, c, text);
	} else {
		strbuf_adds(&out, d.errors.s);
	}
	snprintf(
	    path, sizeof(path), "%.*s.%s", (int)strlen(conf) - 5, conf, c ? "ok" : "err");
	if (getenv("TERN_GOLDEN")) {
		FILE *f = fopen(path, "we");

		fputs(out.s, f);
		fclose(f);
	}
	want = test_conf_golden_read_file(path);
	same = want && !strcmp(want, out.s);
	if (!same)
		fprintf(stderr, "%s differs from what came out:\n%s", path, out.s);
	free(want);
	free(text);
	config_free(c);
	strbuf_fini(&out);
	diag_fini(&d);
	custom_registry_fini(&reg);
	return same;
}

static void
test_golden(void **state)
{
	const char *src = getenv("TERN_SRCDIR");
	unsigned bad = 0;
	char path[300];
	glob_t g;
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "%s/test/conf", src ? src : ".");
	assert_int_equal(chdir(path), 0);
	assert_int_equal(glob("*.conf", 0, NULL, &g), 0);
	assert_true(g.gl_pathc > 40);
	setenv("TZ", "UTC", 1); /* for times in configurations */
	for (i = 0; i < g.gl_pathc; i++)
		bad += !test_conf_golden_replay(g.gl_pathv[i]);
	globfree(&g);
	assert_int_equal(bad, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_golden),
};

UNIT_MAIN(tests)
