/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_conf.c for FRR.
 *
 * It takes no new file as a whole while it runs: a change of policy is the lines that
 * differ (--conf-change), for vtysh. The timer that applies changed route maps by
 * itself is off; whoever changes one clears sessions softly. */
#include "test/load/load_conf.h"

#include <stdio.h>

static void
load_conf_frr_policy(void)
{
	puts("ip prefix-list bogons seq 5 permit 10.0.0.0/8 le 32\n"
	     "ip prefix-list bogons seq 10 permit 192.168.0.0/16 le 32\n"
	     "bgp community-list standard c1 permit 65000:1\n"
	     "bgp as-path access-list long permit ^([0-9]+ ){64}");
}

/* @match: a further condition of each entry that accepts, or "" */
static void
map_in(const char *name, const char *match)
{
	printf("route-map %s deny 5\n match as-path long\n"
	       "route-map %s deny 10\n match ip address prefix-list bogons\n"
	       "route-map %s permit 20\n match community c1\n%s set local-preference 90\n"
	       "route-map %s permit 30\n%s",
	    name, name, name, match, name, match);
}

static const char *
load_conf_frr_word_of(enum family fam)
{
	return fam == FAM_IP4 ? "ip" : "ipv6";
}

static void
load_conf_frr_list(const struct load_run *r, uint32_t c, enum family fam)
{
	char buf[PREFIX_STR_MAX], name[32], match[80];
	uint32_t at = 0;

	while (load_conf_next(
	    r, c, fam, &at, buf)) /* numbers don't depend on what is left out */
		printf("%s prefix-list l%u seq %u permit %s\n",
		    load_conf_frr_word_of(fam), c, 5 * at, buf);
	snprintf(name, sizeof(name), "i%u-%s", c, load_conf_frr_word_of(fam));
	snprintf(match, sizeof(match), " match %s address prefix-list l%u\n",
	    load_conf_frr_word_of(fam), c);
	map_in(name, match);
}

static void
map_out(const struct load_run *r, uint32_t c)
{
	unsigned s = r->opt->server_as, as = r->opt->first_as + c, n;

	printf("bgp large-community-list standard d%u permit %u:0:%u\n", c, s, as);
	printf("bgp large-community-list standard a%u permit %u:1:%u\n", c, s, as);
	for (n = 1; n <= 3; n++)
		printf("bgp large-community-list standard p%u-%u permit %u:%u:%u\n", n, c,
		    s, ASK_PREPEND + n, as);
	printf("route-map o%u deny 10\n match large-community d%u\n"
	       "route-map o%u permit 20\n match large-community a%u\n"
	       "route-map o%u deny 30\n match large-community nobody\n",
	    c, c, c, c, c);
	for (n = 3; n; n--)
		printf("route-map o%u permit %u\n match large-community p%u-%u\n"
		       " set as-path prepend last-as %u\n",
		    c, 50 - n, n, c, n);
	printf("route-map o%u permit 50\n", c);
}

static void
load_conf_frr_policies(const struct load_run *r)
{
	uint32_t c;

	if (r->opt->filter || r->opt->lists)
		load_conf_frr_policy();
	if (r->opt->filter && !r->opt->lists)
		map_in("f_in", "");
	for (c = 0; c < r->clients && r->opt->lists; c++) {
		if (r->opt->families & 1 << FAM_IP4)
			load_conf_frr_list(r, c, FAM_IP4);
		if (r->opt->families & 1 << FAM_IP6)
			load_conf_frr_list(r, c, FAM_IP6);
	}
	if (r->opt->own_filter)
		printf("bgp large-community-list standard nobody permit %u:0:0\n",
		    r->opt->server_as);
	for (c = 0; c < r->clients && r->opt->own_filter; c++)
		map_out(r, c);
	if (r->opt->mark)
		printf("route-map f_out permit 10\n set community %u:%u additive\n",
		    r->opt->server_as, r->opt->mark);
}

static void
load_conf_frr_family(const struct load_run *r, enum family fam)
{
	char a[IP_STR_MAX];
	uint32_t c;

	if (!(r->opt->families >> fam & 1))
		return;
	printf(" address-family %s unicast\n", fam == FAM_IP4 ? "ipv4" : "ipv6");
	printf("  neighbor RS activate\n"
	       "  neighbor RS route-server-client\n"
	       "  neighbor RS attribute-unchanged as-path next-hop med\n");
	if (r->opt->filter && !r->opt->lists)
		printf("  neighbor RS route-map f_in in\n");
	if (r->opt->mark)
		printf("  neighbor RS route-map f_out out\n");
	for (c = 0; c < r->clients; c++) {
		load_conf_addr(r, c, a);
		if (r->opt->lists)
			printf("  neighbor %s route-map i%u-%s in\n", a, c,
			    load_conf_frr_word_of(fam));
		if (r->opt->own_filter)
			printf("  neighbor %s route-map o%u out\n", a, c);
	}
	printf(" exit-address-family\n");
}

/* Only what --mark and --unlisted change. */
static void
load_conf_frr_change(const struct load_run *r)
{
	const struct load_client *c = &r->client[0];
	char buf[PREFIX_STR_MAX];
	uint32_t i;

	for (i = 0; i < c->route_cnt && r->opt->lists; i++) {
		const struct model_route *q = &r->model.route[c->route[i]];
		struct prefix p = load_net_prefix(&r->nets.net[q->net]);

		if (q->refused)
			printf("no %s prefix-list l0 seq %u permit %s\n",
			    load_conf_frr_word_of(p.fam), 5 * (i + 1),
			    prefix_str(buf, &p));
	}
	if (!r->opt->mark)
		return;
	printf("route-map f_out permit 10\n set community %u:%u additive\nexit\n",
	    r->opt->server_as, r->opt->mark);
	printf("router bgp %u\n", r->opt->server_as);
	for (i = 0; i < FAM_CNT; i++)
		if (r->opt->families >> i & 1)
			printf(" address-family %s unicast\n  neighbor RS route-map "
			       "f_out out\n"
			       " exit-address-family\n",
			    i == FAM_IP4 ? "ipv4" : "ipv6");
	printf("exit\n");
}

void
load_conf_frr(const struct load_run *r)
{
	char a[IP_STR_MAX];
	uint32_t c;

	if (r->opt->conf_change) {
		load_conf_frr_change(r);
		return;
	}
	printf("frr defaults traditional\nhostname rs\nlog file %s/bgpd.log warnings\n!\n"
	       "bgp route-map delay-timer 0\n",
	    r->opt->run_dir);
	load_conf_frr_policies(r);
	printf("router bgp %u\n bgp router-id 10.0.0.1\n no bgp ebgp-requires-policy\n"
	       " no bgp default ipv4-unicast\n no bgp enforce-first-as\n"
	       " bgp bestpath compare-routerid\n"
	       " neighbor RS peer-group\n neighbor RS passive\n"
	       " neighbor RS disable-connected-check\n neighbor RS ebgp-multihop 255\n"
	       " neighbor RS timers 60 %u\n",
	    r->opt->server_as, r->opt->hold_s);
	for (c = 0; c < r->clients; c++)
		printf(" neighbor %s remote-as %u\n neighbor %s peer-group RS\n",
		    load_conf_addr(r, c, a), r->facts[c].as, a);
	load_conf_frr_family(r, FAM_IP4);
	load_conf_frr_family(r, FAM_IP6);
	printf("exit\n!\nline vty\n");
}
