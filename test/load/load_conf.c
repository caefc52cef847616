/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of route servers for the set-up of a run, so that whoever measures or
 * tests needs no generator of his own: same clients, same policy, same addresses as
 * ternload uses. Those of bird2 and tern are here, others in load_conf_*.c.
 *
 * The import filter refuses AS paths longer than 64 and the nets 10.0.0.0/8+ and
 * 192.168.0.0/16+, and gives local preference 90 to routes with community (65000,1); with
 * --lists, it refuses what isn't in its client's list (load_irr.h says which that is with
 * --irr). Export filters do what control communities ask for (load_set.h) and add the
 * mark. load_model.c and load_set.c do the same. */
#include "test/load/load_conf.h"

#include "test/load/load_irr.h"

#include <errno.h>
#include <stdio.h>

const char *
load_conf_addr(const struct load_run *r, uint32_t c, char *buf)
{
	return ip_str(buf, r->facts[c].addr);
}

bool
load_conf_next(
    const struct load_run *r, uint32_t c, enum family fam, uint32_t *at, char *buf)
{
	for (; *at < r->client[c].route_cnt; (*at)++) {
		const struct model_route *q = &r->model.route[r->client[c].route[*at]];
		struct prefix p = load_net_prefix(&r->nets.net[q->net]);

		if (q->refused || p.fam != fam)
			continue;
		prefix_str(buf, &p);
		(*at)++;
		return true;
	}
	return false;
}

static unsigned
control_as(const struct load_run *r, uint32_t c)
{
	return r->opt->first_as + c;
}

/* bird_goes_to - does a route go to client @c? */
static void
bird_goes_to(const struct load_run *r, uint32_t c)
{
	unsigned s = r->opt->server_as, as = control_as(r, c);

	printf("    if (%u,0,%u) ~ bgp_large_community then reject;\n", s, as);
	printf("    if (%u,1,%u) ~ bgp_large_community then accept;\n", s, as);
	printf("    if (%u,0,0) ~ bgp_large_community then reject;\n", s);
}

static void
bird_export(const struct load_run *r, uint32_t c)
{
	unsigned s = r->opt->server_as, n, i;

	if (!r->opt->own_filter && !r->opt->mark) {
		printf("export all;");
		return;
	}
	printf("export filter {\n");
	if (r->opt->mark)
		printf("    bgp_community.add((%u,%u));\n", s, r->opt->mark);
	if (r->opt->own_filter) {
		unsigned as = control_as(r, c);

		if (!r->opt->multi) /* else its pipe has asked that */
			bird_goes_to(r, c);
		else
			printf("    if (%u,1,%u) ~ bgp_large_community then accept;\n", s,
			    as);
		for (n = 3; n; n--) {
			printf("    %sif (%u,%u,%u) ~ bgp_large_community then {",
			    n < 3 ? "else " : "", s, ASK_PREPEND + n, as);
			for (i = 0; i < n; i++)
				printf(" bgp_path.prepend(bgp_path.first);");
			printf(" }\n");
		}
	}
	printf("    accept;\n  };");
}

static void
bird_channel(const struct load_run *r, const char *family, uint32_t c)
{
	printf("  %s { ", family);
	if (r->opt->multi)
		printf("table %s_%u; ", family, c);
	printf("import ");
	if (r->opt->lists)
		printf("filter i%u; ", c);
	else
		printf("%s; ", r->opt->filter ? "filter f_in" : "all");
	bird_export(r, c);
	if (r->opt->secondary)
		printf(" secondary;");
	if (r->opt->imex)
		printf(" import table; export table;");
	if (r->opt->add_paths)
		printf(" add paths %s;", r->opt->add_paths == ADD_PATH_TX   ? "tx"
					 : r->opt->add_paths == ADD_PATH_RX ? "rx"
									    : "on");
	printf(" next hop keep; };\n");
}

static void
bird_channels(const struct load_run *r, uint32_t c)
{
	if (r->opt->families & 1 << FAM_IP4)
		bird_channel(r, "ipv4", c);
	if (r->opt->families & 1 << FAM_IP6)
		bird_channel(r, "ipv6", c);
}

/* bird_pipe - the table of client @c, and the pipe between it and what all share: what
 * may go to the client comes from there, and his routes go there. */
static void
bird_pipe(const struct load_run *r, const char *family, char master, uint32_t c)
{
	printf("%s table %s_%u;\n"
	       "protocol pipe pipe%c_%u { table %s_%u; peer table master%c; export all; ",
	    family, family, c, master, c, family, c, master);
	if (r->opt->own_filter) {
		printf("import filter {\n");
		bird_goes_to(r, c);
		printf("    accept;\n  }; }\n");
	} else {
		printf("import all; }\n");
	}
}

static void
bird_pipes(const struct load_run *r, uint32_t c)
{
	if (r->opt->families & 1 << FAM_IP4)
		bird_pipe(r, "ipv4", '4', c);
	if (r->opt->families & 1 << FAM_IP6)
		bird_pipe(r, "ipv6", '6', c);
}

static void
bird_filter_body(const struct load_run *r)
{
	if (r->opt->filter)
		puts("  if bgp_path.len > 64 then reject;");
	if (r->opt->filter && r->opt->families == 3)
		puts("  if net.type = NET_IP4 then");
	if (r->opt->filter && r->opt->families & 1 << FAM_IP4)
		puts("  if net ~ [ 10.0.0.0/8+, 192.168.0.0/16+ ] then reject;");
	if (r->opt->filter)
		puts("  if bgp_path.first = 1 then i = i + 1;\n"
		     "  if (65000,1) ~ bgp_community then bgp_local_pref = 90;");
	if (r->opt->irr)
		printf("  bgp_community.add((%u,%u));\n", r->opt->server_as,
		    LOAD_IRR_MARK + r->opt->irr_reload);
	puts("  dummy = i + bgp_path.len;\n"
	     "  accept;\n"
	     "}");
}

/* What a client may announce, as exchanges generate it from the registries: a set of
 * its own. */
static void
bird_list(const struct load_run *r, uint32_t c, enum family fam)
{
	char buf[PREFIX_STR_MAX];
	uint32_t at = 0, cnt;

	if (r->opt->irr) {
		puts("  if !(net ~ [");
		load_irr_print(r, c);
		puts(" ]) then reject;");
		return;
	}
	if (r->opt->families == 3)
		printf("  if net.type = NET_IP%c then\n", fam == FAM_IP4 ? '4' : '6');
	for (cnt = 0; load_conf_next(r, c, fam, &at, buf); cnt++)
		printf("%s%s", cnt ? ", " : "  if !(net ~ [ ", buf);
	puts(cnt ? " ]) then reject;" : "  reject;");
}

static void
bird_filters(const struct load_run *r)
{
	uint32_t c;

	puts("attribute int dummy;");
	if (!r->opt->lists) {
		puts("filter f_in {\n  int i = 0;");
		bird_filter_body(r);
		return;
	}
	for (c = 0; c < r->clients; c++) {
		printf("filter i%u {\n  int i = 0;\n", c);
		if (r->opt->families & 1 << FAM_IP4)
			bird_list(r, c, FAM_IP4);
		if (r->opt->families & 1 << FAM_IP6)
			bird_list(r, c, FAM_IP6);
		bird_filter_body(r);
	}
}

static void
print_bird(const struct load_run *r)
{
	bool own = r->opt->own_filter || r->opt->lists || r->opt->multi;
	char s[IP_STR_MAX];
	char a[IP_STR_MAX];
	uint32_t c;

	printf("router id 10.0.0.1;\n"
	       "log \"%s/bird.log\" { warning, error, fatal, bug };\n"
	       "protocol device {}\n",
	    r->opt->run_dir);
	if (r->opt->secondary)
		printf("ipv4 table master4 sorted;\nipv6 table master6 sorted;\n");
	if (r->opt->filter || r->opt->lists)
		bird_filters(r);
	printf("template bgp rsc {\n"
	       "  local %s port %u as %u;\n"
	       "  strict bind on; passive; %s; rs client; allow as sets; hold time %u;\n",
	    ip_str(s, r->opt->server), r->opt->port, r->opt->server_as,
	    r->opt->direct ? "direct" : "multihop", r->opt->hold_s);
	if (r->opt->error_wait_s)
		printf("  error wait time %u, %u; error forget time %u; connect delay "
		       "time 1;\n",
		    r->opt->error_wait_s, r->opt->error_wait_s, r->opt->error_wait_s);
	if (r->opt->password)
		printf("  password \"%s\";\n", r->opt->password);
	if (!own)
		bird_channels(r, 0);
	printf("}\n");
	for (c = 0; c < r->clients; c++) {
		if (r->opt->multi)
			bird_pipes(r, c);
		printf("protocol bgp p%u from rsc { neighbor %s as %u; ", c,
		    load_conf_addr(r, c, a), r->facts[c].as);
		if (own) {
			printf("\n");
			bird_channels(r, c);
		}
		printf("}\n");
	}
}

int
load_conf_print(const struct load_run *r)
{
	static const struct {
		const char *name;
		void (*print)(const struct load_run *r);
	} daemons[] = { { "bird2", print_bird }, { "tern", print_bird },
		{ "frr", load_conf_frr }, { "openbgpd", load_conf_openbgpd },
		{ "gobgp", load_conf_gobgp } };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(daemons); i++) {
		if (strcmp(daemons[i].name, r->opt->conf))
			continue;
		if (daemons[i].print != print_bird &&
		    (r->opt->secondary || r->opt->multi || r->opt->add_paths ||
			r->opt->direct)) {
			fprintf(stderr, "ternload: only --conf bird2 and tern know "
					"--secondary, --multi, --add-paths and "
					"--direct\n");
			return -EINVAL;
		}
		daemons[i].print(r);
		return 0;
	}
	fprintf(stderr, "ternload: --conf knows bird2, tern, frr, openbgpd and gobgp\n");
	return -EINVAL;
}
