/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of a configuration: the table, the draw, the file.
 *
 * style: a table, which reads best in one piece. */
#include "test/sim/feature.h"
#include "test/sim/member_role.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct feature feature[] = {
	{ "threads", OF_WORLD, THREADS, NULL, "threads 2;" },
	{ "sorted", OF_WORLD, UNTAGGED, NULL, "" },
	{ "index", OF_WORLD, UNTAGGED, NULL,
	    "ipv4 table indexed { longest match index; };\nprotocol pipe pindexed { "
	    "table "
	    "master4; peer table indexed; export all; import none; }" },
	{ "pipe", OF_WORLD, UNTAGGED, NULL,
	    "ipv4 table piped;\nprotocol pipe ppiped { table master4; peer table piped; "
	    "export where bgp_path.len < 4; import where source = RTS_STATIC; }" },
	{ "pipe back", OF_WORLD, UNTAGGED, NULL,
	    "ipv4 table ring;\nprotocol pipe pring { table ring; peer table master4; "
	    "import filter { preference = 80; accept; }; export all; }\n"
	    "protocol static sring { ipv4 { table ring; }; route 20.1.1.0/24 blackhole; "
	    "route 40.2.0.0/16 unreachable; }" },
	{ "static", OF_WORLD, UNTAGGED, NULL,
	    "protocol static s1 { ipv4; route 40.0.0.0/16 unreachable; route 20.1.0.0/24 "
	    "blackhole { preference = 50; }; }" },
	{ "ways", OF_WORLD, UNTAGGED, NULL,
	    "protocol static s2 { ipv4; check link; route 40.1.0.0/16 via 10.0.9.1 "
	    "weight "
	    "3 via 10.0.9.2 via \"eth0\"; }" },
	{ "recursive", OF_WORLD, UNTAGGED, NULL,
	    "protocol static s3 { ipv4; route 40.3.0.0/16 recursive 20.1.1.1; route "
	    "40.4.0.0/16 recursive 30.0.2.1; }" },
	{ "direct", OF_WORLD, UNTAGGED, NULL,
	    "protocol direct { ipv4; ipv6; interface \"eth0\"; }" },
	{ "kernel", OF_WORLD, KERNEL, NULL,
	    "protocol kernel { ipv4 { export where source = RTS_BGP || source = "
	    "RTS_STATIC; }; scan time 20; }" },
	{ "kernel merge", OF_WORLD, KERNEL, NULL,
	    "protocol kernel { kernel table 100; metric 64; merge paths on; ipv4 { "
	    "export "
	    "all; }; scan time 20; }" },
	{ "kernel learn", OF_WORLD, KERNEL, NULL,
	    "ipv4 table learned;\nprotocol kernel { kernel table 200; learn all; ipv4 { "
	    "table "
	    "learned; }; scan time 20; }" },
	{ "bmp pre", OF_WORLD, STATION, NULL,
	    "protocol bmp b1 { station address ip 10.0.3.1 port 1790; monitoring rib in "
	    "pre_policy; }" },
	{ "bmp post", OF_WORLD, STATION, NULL,
	    "protocol bmp b2 { station address ip 10.0.3.2 port 1790; monitoring rib in "
	    "post_policy; stats interval 60; }" },
	{ "bmp out", OF_WORLD, STATION, NULL,
	    "protocol bmp b3 { station address ip 10.0.3.3 port 1790; monitoring rib out "
	    "pre_policy; monitoring rib out post_policy; }" },
	{ "bmp local", OF_WORLD, STATION, NULL,
	    "protocol bmp b4 { station address ip 10.0.3.4 port 1790; monitoring rib "
	    "local; }" },
	{ "mrt", OF_WORLD, UNTAGGED, NULL,
	    "protocol mrt d1 { table \"*\"; filename \"/sim/%N.mrt\"; period 300; }" },
	{ "mrtdump", OF_WORLD, UNTAGGED, NULL,
	    "mrtdump \"/sim/messages.mrt\";\nmrtdump protocols all;" },
	{ "debug", OF_WORLD, UNTAGGED, NULL,
	    "debug protocols all;\ndebug channels all;\ndebug tables all;\ndebug "
	    "commands "
	    "2;" },
	{ "confederation", OF_WORLD, CONFEDERATION, NULL, "" },
	{ "rpki", OF_WORLD, ROA_CACHE, NULL,
	    "protocol rpki v1 { roa4 { table r4; }; aspa { table at; }; remote 10.0.2.1; "
	    "retry keep 60; refresh keep 300; expire keep 600; }" },
	{ "bfd", OF_WORLD, BFD_PEER, NULL,
	    "protocol bfd { interface \"*\" { interval 1 s; }; }" },
	{ "cli", OF_WORLD, UNTAGGED, NULL, "cli \"/sim/second.ctl\" { restrict; };" },
	{ "table options", OF_WORLD, UNTAGGED, NULL, "" },

	{ "rs client", OF_SESSION, UNTAGGED, "kind", "rs client;" },
	{ "internal", OF_SESSION, INTERNAL, "kind", "rr client;" },
	{ "plain ebgp", OF_SESSION, UNTAGGED, "kind", "" },
	{ "active", OF_SESSION, UNTAGGED, "dial", "connect delay time 1;" },
	{ "dynamic", OF_SESSION, DYNAMIC, "dial", "" },
	{ "link local", OF_SESSION, LINK_LOCAL, NULL, "" },
	{ "skewed", OF_SESSION, SKEWED, NULL, "" },
	{ "ipv6", OF_SESSION, IPV6, NULL, "" },
	{ "password", OF_SESSION, PASSWORD, NULL, "password \"secret\";" },
	{ "ttl security", OF_SESSION, TTL, NULL, "ttl security on;" },
	{ "graceful restart", OF_SESSION, MEMBER_RESTARTS, NULL, "graceful restart on;" },
	{ "long lived", OF_SESSION, LONG_LIVED, NULL,
	    "long lived graceful restart on; long lived stale time 100;" },
	{ "role peer", OF_SESSION, ROLE, "role", "local role peer;" },
	{ "role provider", OF_SESSION, ROLE, "role", "local role provider;" },
	{ "role customer", OF_SESSION, ROLE, "role", "local role customer;" },
	{ "role server", OF_SESSION, ROLE, "role", "local role rs_server;" },
	{ "role client", OF_SESSION, ROLE, "role", "local role rs_client;" },
	{ "first as", OF_SESSION, UNTAGGED, NULL, "enforce first as;" },
	{ "local as", OF_SESSION, UNTAGGED, NULL, "allow local as 2;" },
	{ "communities", OF_SESSION, UNTAGGED, NULL, "interpret communities off;" },
	{ "med", OF_SESSION, UNTAGGED, NULL, "med metric on;" },
	{ "no path metric", OF_SESSION, UNTAGGED, NULL, "path metric off;" },
	{ "default pref", OF_SESSION, UNTAGGED, NULL, "default bgp_local_pref 90;" },
	{ "allow med", OF_SESSION, UNTAGGED, NULL, "allow bgp_med;" },
	{ "extended messages", OF_SESSION, EXTENDED_MESSAGES, NULL,
	    "enable extended messages;" },
	{ "no refresh", OF_SESSION, NO_REFRESH, "refresh", "enable route refresh off;" },
	{ "no enhanced refresh", OF_SESSION, UNTAGGED, "refresh",
	    "enable enhanced route refresh off;" },
	{ "hostname", OF_SESSION, UNTAGGED, NULL, "advertise hostname;" },
	{ "hold time", OF_SESSION, UNTAGGED, NULL, "hold time 30;" },
	{ "bfd session", OF_SESSION, BFD_PEER, NULL, "bfd on;" },

	{ "overlay", OF_CHANNEL, OVERLAY, NULL, "" },
	{ "secondary", OF_CHANNEL, UNTAGGED, "paths out", "secondary;" },
	{ "paths tx", OF_CHANNEL, PATHS_OUT, "paths out", "add paths tx;" },
	{ "paths rx", OF_CHANNEL, PATHS_IN, "paths out", "add paths rx;" },
	{ "paths both", OF_CHANNEL, PATHS_IN, "paths out", "add paths on;" },
	{ "import table", OF_CHANNEL, UNTAGGED, NULL, "import table on;" },
	{ "export table", OF_CHANNEL, UNTAGGED, NULL, "export table on;" },
	{ "keep filtered", OF_CHANNEL, UNTAGGED, NULL, "import keep filtered on;" },
	{ "import warn", OF_CHANNEL, LIMIT, "import", "import limit %u action warn;" },
	{ "import block", OF_CHANNEL, LIMIT, "import", "import limit %u action block;" },
	{ "import restart", OF_CHANNEL, LIMIT, "import",
	    "import limit %u action restart;" },
	{ "import disable", OF_CHANNEL, LIMIT, "import",
	    "import limit %u action disable;" },
	{ "receive warn", OF_CHANNEL, LIMIT, "receive", "receive limit %u action warn;" },
	{ "receive block", OF_CHANNEL, LIMIT, "receive",
	    "receive limit %u action block;" },
	{ "receive restart", OF_CHANNEL, LIMIT, "receive",
	    "receive limit %u action restart;" },
	{ "receive disable", OF_CHANNEL, LIMIT, "receive",
	    "receive limit %u action disable;" },
	{ "export warn", OF_CHANNEL, LIMIT, "export", "export limit %u action warn;" },
	{ "export block", OF_CHANNEL, LIMIT, "export", "export limit %u action block;" },
	{ "export restart", OF_CHANNEL, LIMIT, "export",
	    "export limit %u action restart;" },
	{ "export disable", OF_CHANNEL, LIMIT, "export",
	    "export limit %u action disable;" },
	{ "hop keep", OF_CHANNEL, UNTAGGED, "hop", "next hop keep on;" },
	{ "hop self", OF_CHANNEL, UNTAGGED, "hop", "next hop self on;" },
	{ "hop address", OF_CHANNEL, UNTAGGED, "hop", "next hop address 10.0.0.1;" },
	{ "extended hop", OF_CHANNEL, EXTENDED_HOP, NULL, "extended next hop on;" },
	{ "gateway recursive", OF_CHANNEL, UNTAGGED, NULL, "gateway recursive;" },
	{ "preference", OF_CHANNEL, UNTAGGED, NULL, "preference 120;" },
	{ "aigp", OF_CHANNEL, UNTAGGED, NULL, "aigp on;" },
	{ "cost", OF_CHANNEL, UNTAGGED, NULL, "cost 7;" },
	{ "filter path", OF_CHANNEL, FILTER_PATH, NULL, "" },
	{ "filter set", OF_CHANNEL, FILTER_SET, NULL, "" },
	{ "filter roa", OF_CHANNEL, FILTER_ROA, NULL, "" },
	{ "filter aspa", OF_CHANNEL, FILTER_ASPA, NULL, "" },
	{ "filter export", OF_CHANNEL, FILTER_EXPORT, NULL, "" },
	{ "filter export roa", OF_CHANNEL, FILTER_EXPORT_ROA, NULL, "" },
};

const unsigned feature_cnt = sizeof(feature) / sizeof(feature[0]);

/* ---- the draw ---- */

static uint64_t
feature_draw(uint64_t *rng, uint64_t below)
{
	uint64_t z = *rng += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static bool
feature_taken(const bool *has, const char *group)
{
	for (unsigned f = 0; group && f < feature_cnt; f++)
		if (has[f] && feature[f].group && !strcmp(feature[f].group, group))
			return true;
	return false;
}

static unsigned
feature_nr_of(const char *name)
{
	unsigned f = 0;

	while (strcmp(feature[f].name, name))
		f++;
	return f;
}

static bool
has_name(const bool *has, const char *name)
{
	return has[feature_nr_of(name)];
}

/* cannot - may feature @f not stand beside the features @has of one member? Either tern
 * refuses such a configuration, or @f has no effect in the configuration. */
static bool
feature_cannot(const bool *has, unsigned f)
{
	const char *n = feature[f].name;

	if (!strcmp(n, "secondary") &&
	    (has_name(has, "gateway recursive") || has_name(has, "internal")))
		return true;
	if (has_name(has, "secondary") &&
	    (!strcmp(n, "gateway recursive") || !strcmp(n, "internal")))
		return true;
	if (feature[f].tag == INTERNAL)
		return feature_taken(has, "role") || has_name(has, "ttl security") ||
		       has_name(has, "first as") || has_name(has, "dynamic");
	if (!has_name(has, "internal"))
		return false;
	return !strcmp(n, "first as") || !strncmp(n, "role", 4) ||
	       !strcmp(n, "ttl security") || !strcmp(n, "dynamic") || !strcmp(n, "cost");
}

/* settle_tables - `secondary` needs a sorted table, and a sorted table takes no recursive
 * gateway, which internal sessions have: such a member has a table of its own. */
static void
settle_tables(struct choice *c)
{
	unsigned sorted = feature_nr_of("sorted"), second = feature_nr_of("secondary"),
		 hops = feature_nr_of("gateway recursive"),
		 over = feature_nr_of("overlay"), internal = feature_nr_of("internal");

	for (unsigned p = 0; p < PEER_CNT; p++)
		c->world[sorted] |= c->peer[p][second] && !c->peer[p][over];
	for (unsigned p = 0; p < PEER_CNT; p++)
		c->peer[p][over] |= c->world[sorted] &&
				    (c->peer[p][hops] || c->peer[p][internal]);
}

void
choice_draw(struct choice *c, uint64_t seed)
{
	uint64_t rng = seed * 0x2545f4914f6cdd1dull + 7;
	unsigned dynamic = 0;

	memset(c, 0, sizeof(*c));
	for (unsigned f = 0; f < feature_cnt; f++)
		if (feature[f].place == OF_WORLD)
			c->world[f] = !feature_draw(&rng, 3);
	for (unsigned p = 0; p < PEER_CNT; p++) {
		/* Features in a drawn order, so that no feature of a group has
		 * priority. */
		unsigned from = (unsigned)feature_draw(&rng, feature_cnt), step = 1;

		while (step < 2 || feature_cnt % step == 0)
			step = 2 + (unsigned)feature_draw(&rng, feature_cnt - 2);
		for (unsigned i = 0, f = from; i < 4 * feature_cnt;
		     i++, f = (f + step) % feature_cnt) {
			if (feature[f].place == OF_WORLD || feature_draw(&rng, 12) ||
			    feature_taken(c->peer[p], feature[f].group) ||
			    feature_cannot(c->peer[p], f) ||
			    (feature[f].tag == DYNAMIC && dynamic))
				continue;
			dynamic += feature[f].tag == DYNAMIC;
			c->peer[p][f] = true;
		}
	}
	settle_tables(c);
}

bool
choice_any(const struct choice *c, unsigned f)
{
	bool any = c->world[f];

	for (unsigned p = 0; p < PEER_CNT; p++)
		any |= c->peer[p][f];
	return any;
}

bool
choice_tag(const struct choice *c, int p, enum feature_tag tag)
{
	for (unsigned f = 0; f < feature_cnt; f++)
		if (feature[f].tag == tag && (p < 0 ? choice_any(c, f) : c->peer[p][f]))
			return true;
	return false;
}

enum member_role
choice_role(const struct choice *c, unsigned p)
{
	char word[16] = "";

	for (unsigned f = 0; f < feature_cnt; f++)
		if (c->peer[p][f] && feature[f].tag == ROLE)
			sscanf(feature[f].text, "local role %15[a-z_]", word);
	return role_fitting(role_of(word));
}

/* ---- the table of pairs ---- */

/* together - does the run meet the pair, if possible with one member? */
static bool
feature_together(const struct choice *c, unsigned a, unsigned b)
{
	bool one_group = feature[a].group && feature[b].group &&
			 !strcmp(feature[a].group, feature[b].group);

	if (feature[a].place == OF_WORLD || feature[b].place == OF_WORLD || one_group)
		return choice_any(c, a) && choice_any(c, b);
	for (unsigned p = 0; p < PEER_CNT; p++)
		if (c->peer[p][a] && c->peer[p][b])
			return true;
	return false;
}

/* can - is there a member with both? */
static bool
feature_can(unsigned a, unsigned b)
{
	bool has[FEATURE_MAX] = { false };

	has[a] = true;
	if (feature[a].place == OF_WORLD || feature[b].place == OF_WORLD)
		return true;
	return !feature_cannot(has, b);
}

unsigned
choice_pairs(uint64_t seed, uint64_t cnt, bool table)
{
	static unsigned met[FEATURE_MAX][FEATURE_MAX];
	unsigned pairs = 0, missing = 0;
	struct choice c;

	for (uint64_t s = seed; s < seed + cnt; s++) {
		choice_draw(&c, s);
		for (unsigned a = 0; a < feature_cnt; a++)
			for (unsigned b = 0; b < a; b++)
				met[a][b] += feature_together(&c, a, b);
	}
	for (unsigned a = 0; a < feature_cnt; a++) {
		if (table)
			printf("%2u %-20s", a, feature[a].name);
		for (unsigned b = 0; b < a; b++) {
			pairs += feature_can(a, b);
			missing += feature_can(a, b) && !met[a][b];
			if (table && feature_can(a, b))
				printf(" %3u", met[a][b]);
			else if (table)
				printf("   -");
		}
		if (table)
			printf("\n");
	}
	printf("%u features, %u pairs, %u not met by %llu configurations\n", feature_cnt,
	    pairs, missing, (unsigned long long)cnt);
	return missing;
}

/* ---- the file ---- */

static void
put_filters(FILE *f, const struct choice *c, const struct shape *s, unsigned p)
{
	fprintf(f, "filter in%u {\n", p);
	if (choice_tag(c, (int)p, FILTER_PATH))
		fprintf(f, "\tif bgp_path.len > %u then reject;\n", 3 + s->list % 2);
	if (choice_tag(c, (int)p, FILTER_SET))
		fprintf(f,
		    "\tif net ~ [ 20.%u.%u.0/24, 30.0.%u.0/24{24,24} ] then reject;\n"
		    "\tbgp_community.add((65000, %u));\n",
		    p + 1, s->list % 5, s->list % 7, s->list % 3);
	if (choice_tag(c, (int)p, FILTER_ROA))
		fprintf(f, "\tif net.type = NET_IP4 then if roa_check(r4, net, "
			   "bgp_path.last) = ROA_INVALID then reject;\n");
	if (choice_tag(c, (int)p, FILTER_ASPA))
		fprintf(f, "\tif aspa_check_upstream(at) = ASPA_INVALID then reject;\n");
	fprintf(f, "\taccept;\n}\nfilter out%u {\n", p);
	if (choice_tag(c, (int)p, FILTER_EXPORT))
		fprintf(f,
		    "\tif (0, %u) ~ bgp_community then reject;\n"
		    "\tbgp_large_community.add((65000, %u, %u));\n",
		    64001 + p, p, s->list % 2);
	if (choice_tag(c, (int)p, FILTER_EXPORT_ROA))
		fprintf(f, "\tif net.type = NET_IP4 && source = RTS_BGP then if "
			   "roa_check(r4, net, bgp_path.last) = ROA_INVALID then "
			   "reject;\n");
	fprintf(f, "\taccept;\n}\n");
}

static void
put_texts(FILE *f, const struct choice *c, const struct shape *s, unsigned p,
    enum feature_place place)
{
	const char *at;

	for (unsigned i = 0; i < feature_cnt; i++) {
		if (!c->peer[p][i] || feature[i].place != place)
			continue;
		if (feature[i].tag == LIMIT) {
			at = strstr(feature[i].text, "%u");
			fprintf(f, "\t\t%.*s%u%s\n", (int)(at - feature[i].text),
			    feature[i].text, s->limit, at + 2);
		}
		if (feature[i].tag != LIMIT && *feature[i].text)
			fprintf(f, "\t\t%s\n", feature[i].text);
	}
}

/* put_ends - the addresses and AS numbers of the session. */
static void
feature_put_ends(FILE *f, const struct choice *c, unsigned p, const struct member *m)
{
	bool confed = choice_tag(c, -1, CONFEDERATION),
	     is_local = choice_tag(c, (int)p, LINK_LOCAL);

	fprintf(f, "\tlocal %s as %u;\n", is_local ? "fe80::1" : "10.0.0.1",
	    confed ? 65100 : 65000);
	if (confed)
		fprintf(f, "\tconfederation 65000;\n");
	if (choice_tag(c, (int)p, DYNAMIC))
		fprintf(f, "\tneighbor range %.*s/%u external;%s\n",
		    (int)strcspn(m->address, "%"), m->address, is_local ? 128 : 32,
		    is_local ? " interface \"eth0\";" : "");
	else
		fprintf(f, "\tneighbor %s as %u;\n", m->address,
		    choice_tag(c, (int)p, INTERNAL) && confed ? 65100 : m->as);
}

static void
feature_put_peer(FILE *f, const struct choice *c, const struct shape *s, unsigned p,
    const struct member *m)
{
	bool over = choice_tag(c, (int)p, OVERLAY), active = false;

	put_filters(f, c, s, p);
	for (unsigned i = 0; i < feature_cnt; i++)
		active |= c->peer[p][i] && !strcmp(feature[i].name, "active");
	if (over)
		fprintf(f,
		    "ipv4 table t%u%s;\nprotocol pipe p%u { table t%u; peer table "
		    "master4; "
		    "import filter out%u; export all; }\n",
		    p, has_name(c->peer[p], "secondary") ? " sorted" : "", p, p, p);
	fprintf(f, "protocol bgp %s {\n", m->name);
	feature_put_ends(f, c, p, m);
	if (!active)
		fprintf(f, "\tpassive;\n");
	put_texts(f, c, s, p, OF_SESSION);
	fprintf(f, "\tipv4 {\n");
	if (over)
		fprintf(f, "\t\ttable t%u; import filter in%u; export all;\n", p, p);
	else
		fprintf(f, "\t\timport filter in%u; export filter out%u;\n", p, p);
	put_texts(f, c, s, p, OF_CHANNEL);
	fprintf(f, "\t};\n");
	if (choice_tag(c, (int)p, IPV6))
		fprintf(
		    f, "\tipv6 { import filter in%u; export filter out%u; };\n", p, p);
	fprintf(f, "}\n");
}

char *
choice_config(const struct choice *c, const struct shape *s, struct member *const *peer)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f,
	    "router id 10.0.0.1;\nlog \"/sim/log\" all;\nroa4 table r4;\naspa table at;\n"
	    "protocol device {}\n"
	    "protocol static roas { roa4 { table r4; }; route 20.1.0.0/16 max 24 as "
	    "64001; route 30.0.0.0/16 max 24 as %u; }\n"
	    "protocol static aspas { aspa { table at; }; route aspa 64500 providers "
	    "%u; }\n",
	    64500 + s->list % 3, 64001 + s->list % 2);
	fprintf(f, "ipv4 table master4%s%s;\n",
	    has_name(c->world, "sorted") ? " sorted" : "",
	    has_name(c->world, "table options") ? " { trie; debug all; }" : "");
	for (unsigned i = 0; i < feature_cnt; i++)
		if (c->world[i])
			fprintf(f, "%s\n", feature[i].text);
	for (unsigned p = 0; p < PEER_CNT; p++)
		if (!(s->left >> p & 1))
			feature_put_peer(f, c, s, p, peer[p]);
	fclose(f);
	return text;
}
