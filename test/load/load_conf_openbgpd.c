/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_conf.c for OpenBGPD. Of rules that match the last one counts, unless one says
 * quick. */
#include "test/load/load_conf.h"

#include <stdio.h>

static void
load_conf_openbgpd_lists(const struct load_run *r)
{
	char buf[PREFIX_STR_MAX], a[IP_STR_MAX];
	uint32_t c, at, cnt;
	unsigned fam;

	for (c = 0; c < r->clients; c++) {
		load_conf_addr(r, c, a);
		for (fam = 0, cnt = 0; fam < FAM_CNT; fam++)
			for (at = 0; load_conf_next(r, c, (enum family)fam, &at, buf);
			     cnt++) {
				if (!cnt)
					printf("prefix-set \"l%u\" {\n", c);
				printf("  %s\n", buf);
			}
		if (cnt)
			printf("}\n");
		printf("deny from %s\n", a);
		if (cnt)
			printf("allow from %s prefix-set \"l%u\"\n", a, c);
	}
}

/* neighbor-as stands for the client's AS number: one rule serves all. */
static void
load_conf_openbgpd_control(unsigned s)
{
	unsigned n;

	printf("deny quick to group rs large-community %u:0:neighbor-as\n"
	       "allow quick to group rs large-community %u:1:neighbor-as\n"
	       "deny quick to group rs large-community %u:0:0\n",
	    s, s, s);
	for (n = 3; n; n--)
		printf("allow quick to group rs large-community %u:%u:neighbor-as "
		       "set prepend-neighbor %u\n",
		    s, ASK_PREPEND + n, n);
}

void
load_conf_openbgpd(const struct load_run *r)
{
	unsigned families = r->opt->families;
	char s[IP_STR_MAX];
	char a[IP_STR_MAX];
	uint32_t c;

	/* By default OpenBGPD 8 withdraws a path with an AS_SET. */
	printf("AS %u\nrouter-id 10.0.0.1\nholdtime %u\nlisten on %s port %u\nfib-update "
	       "no\n"
	       "socket \"%s/bgpd.sock\"\ntransparent-as yes\nreject as-set no\n"
	       "nexthop qualify via default\n",
	    r->opt->server_as, r->opt->hold_s, ip_str(s, r->opt->server), r->opt->port,
	    r->opt->run_dir);
	printf("group \"rs\" {\n  passive\n  multihop 64\n  announce IPv4 %s\n"
	       "  announce IPv6 %s\n  enforce neighbor-as no\n  set nexthop no-modify\n",
	    families & 1 << FAM_IP4 ? "unicast" : "none",
	    families & 1 << FAM_IP6 ? "unicast" : "none");
	for (c = 0; c < r->clients; c++)
		printf("  neighbor %s { remote-as %u }\n", load_conf_addr(r, c, a),
		    r->facts[c].as);
	printf("}\nallow from any\nallow to any\n");
	if (r->opt->lists)
		load_conf_openbgpd_lists(r);
	if (r->opt->filter)
		printf("deny quick from any max-as-len 64\n"
		       "deny quick from any prefix { 10.0.0.0/8 or-longer, "
		       "192.168.0.0/16 or-longer }\n"
		       "match from any community 65000:1 set localpref 90\n");
	if (r->opt->own_filter)
		load_conf_openbgpd_control(r->opt->server_as);
	if (r->opt->mark)
		printf("match to any set community %u:%u\n", r->opt->server_as,
		    r->opt->mark);
}
