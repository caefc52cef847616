/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_conf.c for GoBGP: TOML. A policy is a list of statements; the first that says
 * accept or reject decides. What a client's routes must be like is asked where others
 * import them. */
#include "test/load/load_conf.h"

#include <stdio.h>

#define STATEMENT   "  [[policy-definitions.statements]]\n    name = \"%s\"\n"
#define CONDITIONS  "    [policy-definitions.statements.conditions"
#define ACTIONS     "    [policy-definitions.statements.actions]\n"
#define BGP_ACTIONS "      [policy-definitions.statements.actions.bgp-actions"

static void
load_conf_gobgp_statement(const char *fmt, uint32_t n)
{
	char name[64];

	snprintf(name, sizeof(name), fmt, n);
	printf(STATEMENT, name);
}

static void
load_conf_gobgp_then(const char *what)
{
	printf(ACTIONS "      route-disposition = \"%s-route\"\n", what);
}

static void
sets_in(const struct load_run *r)
{
	if (r->opt->families & 1 << FAM_IP4)
		puts("[[defined-sets.prefix-sets]]\n  prefix-set-name = \"bogons\"\n"
		     "  [[defined-sets.prefix-sets.prefix-list]]\n"
		     "    ip-prefix = \"10.0.0.0/8\"\n    masklength-range = \"8..32\"\n"
		     "  [[defined-sets.prefix-sets.prefix-list]]\n"
		     "    ip-prefix = \"192.168.0.0/16\"\n    masklength-range = "
		     "\"16..32\"");
	puts("[[defined-sets.bgp-defined-sets.community-sets]]\n"
	     "  community-set-name = \"c1\"\n  community-list = [\"65000:1\"]");
}

static void
load_conf_gobgp_lists(const struct load_run *r)
{
	char buf[PREFIX_STR_MAX], a[IP_STR_MAX];
	uint32_t c, at;
	unsigned fam = r->opt->families & 1 << FAM_IP4 ? FAM_IP4 : FAM_IP6;

	for (c = 0; c < r->clients && r->opt->lists; c++) {
		printf("[[defined-sets.neighbor-sets]]\n  neighbor-set-name = \"n%u\"\n"
		       "  neighbor-info-list = [\"%s\"]\n"
		       "[[defined-sets.prefix-sets]]\n  prefix-set-name = \"l%u\"\n",
		    c, load_conf_addr(r, c, a), c);
		for (at = 0; load_conf_next(r, c, (enum family)fam, &at, buf);)
			printf("  [[defined-sets.prefix-sets.prefix-list]]\n"
			       "    ip-prefix = \"%s\"\n",
			    buf);
	}
}

static void
policy_in(const struct load_run *r)
{
	uint32_t c;

	puts("[[policy-definitions]]\n  name = \"f_in\"");
	for (c = 0; c < r->clients && r->opt->lists; c++) {
		load_conf_gobgp_statement("list%u", c);
		printf(CONDITIONS ".match-prefix-set]\n      prefix-set = \"l%u\"\n"
				  "      match-set-options = \"invert\"\n" CONDITIONS
				  ".match-neighbor-set]\n      neighbor-set = \"n%u\"\n"
				  "      match-set-options = \"any\"\n",
		    c, c);
		load_conf_gobgp_then("reject");
	}
	load_conf_gobgp_statement("longpath", 0);
	printf(CONDITIONS ".bgp-conditions.as-path-length]\n"
			  "      operator = \"ge\"\n      value = 65\n");
	load_conf_gobgp_then("reject");
	if (r->opt->families & 1 << FAM_IP4) {
		load_conf_gobgp_statement("bogon", 0);
		printf(CONDITIONS ".match-prefix-set]\n      prefix-set = \"bogons\"\n"
				  "      match-set-options = \"any\"\n");
		load_conf_gobgp_then("reject");
	}
	load_conf_gobgp_statement("lp90", 0);
	printf(CONDITIONS
	    ".bgp-conditions.match-community-set]\n"
	    "      community-set = \"c1\"\n      match-set-options = \"any\"\n");
	load_conf_gobgp_then("accept");
	printf(BGP_ACTIONS "]\n        set-local-pref = 90\n");
}

static void
large_set(const char *name, uint32_t c, unsigned s, unsigned ask, unsigned as)
{
	printf("[[defined-sets.bgp-defined-sets.large-community-sets]]\n"
	       "  large-community-set-name = \"%s%u\"\n"
	       "  large-community-list = [\"%u:%u:%u\"]\n",
	    name, c, s, ask, as);
}

/* @n: the number of the set; @c: of the policy, since no two statements may have one
 * name. */
static void
if_large(const char *name, uint32_t n, uint32_t c)
{
	char fmt[64];

	snprintf(fmt, sizeof(fmt), "%s-%%u", name);
	load_conf_gobgp_statement(fmt, c);
	printf(CONDITIONS ".bgp-conditions.match-large-community-set]\n"
			  "      large-community-set = \"%s%u\"\n"
			  "      match-set-options = \"any\"\n",
	    name, n);
}

static void
control_sets(const struct load_run *r)
{
	unsigned s = r->opt->server_as, as, n;
	uint32_t c;

	large_set("nobody", 0, s, ASK_NOT_TO, 0);
	for (c = 0; c < r->clients; c++) {
		as = r->opt->first_as + c;
		large_set("not", c, s, ASK_NOT_TO, as);
		large_set("to", c, s, ASK_TO, as);
		for (n = 1; n <= 3; n++)
			large_set(n == 1   ? "p1x"
				  : n == 2 ? "p2x"
					   : "p3x",
			    c, s, ASK_PREPEND + n, as);
	}
}

static void
control_policy(uint32_t c)
{
	unsigned n;

	printf("[[policy-definitions]]\n  name = \"o%u\"\n", c);
	if_large("not", c, c);
	load_conf_gobgp_then("reject");
	if_large("to", c, c);
	load_conf_gobgp_then("accept");
	if_large("nobody", 0, c);
	load_conf_gobgp_then("reject");
	for (n = 3; n; n--) {
		if_large(n == 1 ? "p1x" : n == 2 ? "p2x" : "p3x", c, c);
		load_conf_gobgp_then("accept");
		printf(BGP_ACTIONS ".set-as-path-prepend]\n        as = \"last-as\"\n"
				   "        repeat-n = %u\n",
		    n);
	}
}

static void
mark_policy(const struct load_run *r)
{
	puts("[[policy-definitions]]\n  name = \"f_out\"");
	load_conf_gobgp_statement("mark", 0);
	load_conf_gobgp_then("accept");
	printf(BGP_ACTIONS ".set-community]\n        options = \"add\"\n" BGP_ACTIONS
			   ".set-community.set-community-method]\n"
			   "          communities-list = [\"%u:%u\"]\n",
	    r->opt->server_as, r->opt->mark);
}

static void
load_conf_gobgp_neighbour(const struct load_run *r, uint32_t c)
{
	char a[IP_STR_MAX];

	printf("[[neighbors]]\n  [neighbors.config]\n    neighbor-address = \"%s\"\n"
	       "    peer-as = %u\n  [neighbors.transport.config]\n"
	       "    passive-mode = true\n  [neighbors.timers.config]\n"
	       "    hold-time = %u\n    keepalive-interval = %u\n",
	    load_conf_addr(r, c, a), r->facts[c].as, r->opt->hold_s, r->opt->hold_s / 3);
	if (r->opt->error_wait_s)
		printf("    idle-hold-time-after-reset = %u\n", r->opt->error_wait_s);
	printf("  [neighbors.route-server.config]\n    route-server-client = true\n");
	if (r->opt->filter || r->opt->lists || r->opt->own_filter || r->opt->mark)
		printf("  [neighbors.apply-policy.config]\n");
	if (r->opt->filter || r->opt->lists)
		printf("    import-policy-list = [\"f_in\"]\n"
		       "    default-import-policy = \"accept-route\"\n");
	if (r->opt->own_filter)
		printf("    export-policy-list = [\"o%u\"]\n", c);
	if (r->opt->mark)
		printf("    export-policy-list = [\"f_out\"]\n");
	if (r->opt->own_filter || r->opt->mark)
		printf("    default-export-policy = \"accept-route\"\n");
	if (r->opt->families & 1 << FAM_IP4)
		printf("  [[neighbors.afi-safis]]\n    [neighbors.afi-safis.config]\n"
		       "      afi-safi-name = \"ipv4-unicast\"\n");
	if (r->opt->families & 1 << FAM_IP6)
		printf("  [[neighbors.afi-safis]]\n    [neighbors.afi-safis.config]\n"
		       "      afi-safi-name = \"ipv6-unicast\"\n");
}

void
load_conf_gobgp(const struct load_run *r)
{
	char s[IP_STR_MAX];
	uint32_t c;

	printf("[global.config]\n  as = %u\n  router-id = \"10.0.0.1\"\n  port = %u\n"
	       "  local-address-list = [\"%s\"]\n"
	       "[global.route-selection-options.config]\n"
	       "  external-compare-router-id = true\n",
	    r->opt->server_as, r->opt->port, ip_str(s, r->opt->server));
	for (c = 0; c < r->clients; c++)
		load_conf_gobgp_neighbour(r, c);
	if (r->opt->filter || r->opt->lists) {
		sets_in(r);
		load_conf_gobgp_lists(r);
		policy_in(r);
	}
	if (r->opt->own_filter)
		control_sets(r);
	for (c = 0; c < r->clients && r->opt->own_filter; c++)
		control_policy(c);
	if (r->opt->mark)
		mark_policy(r);
}
