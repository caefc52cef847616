/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of route servers for the set-up of a run, so that whoever measures or
 * tests needs no generator of his own: same clients, same import filter, same addresses
 * as ternload uses.
 *
 * The import filter refuses AS paths longer than 64 and the nets 10.0.0.0/8+ and
 * 192.168.0.0/16+, and gives local preference 90 to routes with community (65000,1).
 * load_model.c does the same. */
#include "test/load/load_conf.h"

#include <errno.h>
#include <stdio.h>

static const char *
addr_of(const struct load_run *r, uint32_t c, char *buf)
{
	return ip_str(buf, r->facts[c].addr);
}

static void
bird_channel(const struct load_run *r, const char *family, uint32_t c)
{
	printf("  %s { import %s; ", family, r->opt->filter ? "filter f_in" : "all");
	if (r->opt->own_filter && c != LOAD_NONE)
		printf(
		    "export filter { if (%u,%u) ~ bgp_community then reject; accept; };",
		    LOAD_DENY, c);
	else
		printf("export all;");
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

static void
bird_filter(const struct load_run *r)
{
	puts("attribute int dummy;\n"
	     "filter f_in {\n"
	     "  int i = 0;\n"
	     "  if bgp_path.len > 64 then reject;");
	if (r->opt->families == 3)
		puts("  if net.type = NET_IP4 then");
	if (r->opt->families & 1 << FAM_IP4)
		puts("  if net ~ [ 10.0.0.0/8+, 192.168.0.0/16+ ] then reject;");
	puts("  if bgp_path.first = 1 then i = i + 1;\n"
	     "  if (65000,1) ~ bgp_community then bgp_local_pref = 90;\n"
	     "  dummy = i + bgp_path.len;\n"
	     "  accept;\n"
	     "}");
}

static void
print_bird(const struct load_run *r)
{
	char s[IP_STR_MAX];
	char a[IP_STR_MAX];
	uint32_t c;

	printf("router id 10.0.0.1;\n"
	       "log \"%s/bird.log\" { warning, error, fatal, bug };\n"
	       "protocol device {}\n",
	    r->opt->run_dir);
	if (r->opt->filter)
		bird_filter(r);
	printf("template bgp rsc {\n"
	       "  local %s port %u as %u;\n"
	       "  strict bind on; passive; multihop; rs client; hold time %u;\n",
	    ip_str(s, r->opt->server), r->opt->port, r->opt->server_as, r->opt->hold_s);
	if (r->opt->error_wait_s)
		printf("  error wait time %u, %u; error forget time %u; connect delay "
		       "time 1;\n",
		    r->opt->error_wait_s, r->opt->error_wait_s, r->opt->error_wait_s);
	if (r->opt->password)
		printf("  password \"%s\";\n", r->opt->password);
	if (!r->opt->own_filter)
		bird_channels(r, LOAD_NONE);
	printf("}\n");
	for (c = 0; c < r->clients; c++) {
		printf("protocol bgp p%u from rsc { neighbor %s as %u; ", c,
		    addr_of(r, c, a), r->facts[c].as);
		if (r->opt->own_filter) {
			printf("\n");
			bird_channels(r, c);
		}
		printf("}\n");
	}
}

static void
frr_policy(void)
{
	puts("ip prefix-list bogons seq 5 permit 10.0.0.0/8 le 32\n"
	     "ip prefix-list bogons seq 10 permit 192.168.0.0/16 le 32\n"
	     "bgp community-list standard c1 permit 65000:1\n"
	     "bgp as-path access-list long permit ^([0-9]+ ){64}\n"
	     "route-map f_in deny 5\n match as-path long\n"
	     "route-map f_in deny 10\n match ip address prefix-list bogons\n"
	     "route-map f_in permit 20\n match community c1\n set local-preference 90\n"
	     "route-map f_in permit 30");
}

static void
print_frr(const struct load_run *r)
{
	char a[IP_STR_MAX];
	uint32_t c;

	printf(
	    "frr defaults traditional\nhostname rs\nlog file %s/bgpd.log warnings\n!\n",
	    r->opt->run_dir);
	if (r->opt->filter)
		frr_policy();
	for (c = 0; c < r->clients && r->opt->own_filter; c++)
		printf("bgp community-list standard d%u permit %u:%u\n"
		       "route-map o%u deny 10\n match community d%u\nroute-map o%u "
		       "permit 20\n",
		    c, LOAD_DENY, c, c, c, c);
	printf("router bgp %u\n bgp router-id 10.0.0.1\n no bgp ebgp-requires-policy\n"
	       " no bgp default ipv4-unicast\n no bgp enforce-first-as\n"
	       " bgp bestpath compare-routerid\n"
	       " neighbor RS peer-group\n neighbor RS passive\n"
	       " neighbor RS disable-connected-check\n neighbor RS ebgp-multihop 255\n"
	       " neighbor RS timers 60 %u\n",
	    r->opt->server_as, r->opt->hold_s);
	for (c = 0; c < r->clients; c++)
		printf(" neighbor %s remote-as %u\n neighbor %s peer-group RS\n",
		    addr_of(r, c, a), r->facts[c].as, a);
	printf(" address-family ipv4 unicast\n  neighbor RS activate\n"
	       "  neighbor RS route-server-client\n"
	       "  neighbor RS attribute-unchanged as-path next-hop med\n%s",
	    r->opt->filter ? "  neighbor RS route-map f_in in\n" : "");
	for (c = 0; c < r->clients && r->opt->own_filter; c++)
		printf("  neighbor %s route-map o%u out\n", addr_of(r, c, a), c);
	printf(" exit-address-family\nexit\n!\nline vty\n");
}

static void
print_openbgpd(const struct load_run *r)
{
	char s[IP_STR_MAX];
	char a[IP_STR_MAX];
	uint32_t c;

	printf(
	    "AS %u\nrouter-id 10.0.0.1\nholdtime %u\nlisten on %s port %u\nfib-update "
	    "no\n"
	    "socket \"%s/bgpd.sock\"\ntransparent-as yes\nnexthop qualify via default\n"
	    "group \"rs\" {\n  passive\n  multihop 64\n  announce IPv4 unicast\n"
	    "  announce IPv6 none\n  enforce neighbor-as no\n  set nexthop no-modify\n",
	    r->opt->server_as, r->opt->hold_s, ip_str(s, r->opt->server), r->opt->port,
	    r->opt->run_dir);
	for (c = 0; c < r->clients; c++)
		printf(
		    "  neighbor %s { remote-as %u }\n", addr_of(r, c, a), r->facts[c].as);
	printf("}\nallow from any\nallow to any\n");
	if (r->opt->filter)
		printf("deny quick from any max-as-len 64\n"
		       "deny quick from any prefix { 10.0.0.0/8 or-longer, "
		       "192.168.0.0/16 or-longer }\n"
		       "match from any community 65000:1 set localpref 90\n");
	for (c = 0; c < r->clients && r->opt->own_filter; c++)
		printf(
		    "deny quick to %s community %u:%u\n", addr_of(r, c, a), LOAD_DENY, c);
}

static void
gobgp_policy(void)
{
	puts(
	    "[[defined-sets.prefix-sets]]\n  prefix-set-name = \"bogons\"\n"
	    "  [[defined-sets.prefix-sets.prefix-list]]\n    ip-prefix = \"10.0.0.0/8\"\n"
	    "    masklength-range = \"8..32\"\n"
	    "  [[defined-sets.prefix-sets.prefix-list]]\n    ip-prefix = "
	    "\"192.168.0.0/16\"\n"
	    "    masklength-range = \"16..32\"\n"
	    "[[defined-sets.bgp-defined-sets.community-sets]]\n"
	    "  community-set-name = \"c1\"\n  community-list = [\"65000:1\"]\n"
	    "[[policy-definitions]]\n  name = \"f_in\"\n"
	    "  [[policy-definitions.statements]]\n    name = \"longpath\"\n"
	    "    "
	    "[policy-definitions.statements.conditions.bgp-conditions.as-path-length]\n"
	    "      operator = \"ge\"\n      value = 65\n"
	    "    [policy-definitions.statements.actions]\n"
	    "      route-disposition = \"reject-route\"\n"
	    "  [[policy-definitions.statements]]\n    name = \"bogon\"\n"
	    "    [policy-definitions.statements.conditions.match-prefix-set]\n"
	    "      prefix-set = \"bogons\"\n      match-set-options = \"any\"\n"
	    "    [policy-definitions.statements.actions]\n"
	    "      route-disposition = \"reject-route\"\n"
	    "  [[policy-definitions.statements]]\n    name = \"lp90\"\n"
	    "    "
	    "[policy-definitions.statements.conditions.bgp-conditions.match-community-"
	    "set]\n"
	    "      community-set = \"c1\"\n      match-set-options = \"any\"\n"
	    "    [policy-definitions.statements.actions]\n"
	    "      route-disposition = \"accept-route\"\n"
	    "      [policy-definitions.statements.actions.bgp-actions]\n"
	    "        set-local-pref = 90");
}

static void
print_gobgp(const struct load_run *r)
{
	char s[IP_STR_MAX];
	char a[IP_STR_MAX];
	uint32_t c;

	printf("[global.config]\n  as = %u\n  router-id = \"10.0.0.1\"\n  port = %u\n"
	       "  local-address-list = [\"%s\"]\n"
	       "[global.route-selection-options.config]\n"
	       "  external-compare-router-id = true\n",
	    r->opt->server_as, r->opt->port, ip_str(s, r->opt->server));
	for (c = 0; c < r->clients; c++) {
		printf(
		    "[[neighbors]]\n  [neighbors.config]\n    neighbor-address = \"%s\"\n"
		    "    peer-as = %u\n  [neighbors.transport.config]\n"
		    "    passive-mode = true\n  [neighbors.timers.config]\n"
		    "    hold-time = %u\n    keepalive-interval = %u\n"
		    "  [neighbors.route-server.config]\n    route-server-client = true\n",
		    addr_of(r, c, a), r->facts[c].as, r->opt->hold_s, r->opt->hold_s / 3);
		if (r->opt->filter)
			printf("  [neighbors.apply-policy.config]\n"
			       "    import-policy-list = [\"f_in\"]\n"
			       "    default-import-policy = \"accept-route\"\n");
		printf("  [[neighbors.afi-safis]]\n    [neighbors.afi-safis.config]\n"
		       "      afi-safi-name = \"ipv4-unicast\"\n");
	}
	if (r->opt->filter)
		gobgp_policy();
}

int
load_conf_print(const struct load_run *r)
{
	static const struct {
		const char *name;
		void (*print)(const struct load_run *r);
	} daemons[] = { { "bird2", print_bird }, { "tern", print_bird },
		{ "frr", print_frr }, { "openbgpd", print_openbgpd },
		{ "gobgp", print_gobgp } };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(daemons); i++) {
		if (strcmp(daemons[i].name, r->opt->conf))
			continue;
		daemons[i].print(r);
		return 0;
	}
	fprintf(stderr, "ternload: --conf knows bird2, tern, frr, openbgpd and gobgp\n");
	return -EINVAL;
}
