/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes up an exchange.
 *
 * How long prefixes are, how long paths are and how many routes share their attributes
 * follows what real tables look like, since that is what decides about cost: most
 * prefixes are /24, neighbouring prefixes of one member share one attribute set.
 * Everything depends on the seed alone.
 *
 * Paths that one client announces for a net differ in length, so that no two are equal,
 * and which one is better never depends on which came first. */
#include "test/load/load_gen.h"

#include "lib/mem/mem.h"
#include "test/load/load_sock.h"

#include <errno.h>
#include <stdio.h>

/* Per cent of the table by length (2025). */
static const struct {
	uint8_t len, percent;
} lens4[] = { { 24, 60 }, { 22, 12 }, { 23, 11 }, { 21, 6 }, { 20, 5 }, { 19, 3 },
	{ 18, 1 }, { 16, 2 } },
  lens6[] = { { 48, 47 }, { 32, 14 }, { 44, 11 }, { 40, 10 }, { 36, 6 }, { 46, 4 },
	  { 47, 4 }, { 33, 4 } };

static uint64_t
load_gen_walk4(struct load_run *r, uint32_t want, uint64_t at)
{
	uint64_t gap = 0xdf000000ull / (want + 1u);
	unsigned p = load_rng_below(&r->rng, 100), i = 0, len;

	for (; i + 1 < ARRAY_LEN(lens4) && p >= lens4[i].percent; i++)
		p -= lens4[i].percent;
	len = lens4[i].len;
	while (len < 24 && (256u << (24 - len)) > 4 * gap)
		len++;
	at = (at + (1ull << (32 - len)) - 1) >> (32 - len) << (32 - len);
	if (at >> 24 == 127)
		at = 128ull << 24;
	if (at >> 24 == 10 || at >> 16 == (192 << 8 | 168))
		at += (at >> 24 == 10) ? 1ull << 24 : 1ull << 16;
	load_nets_add(&r->nets, at << 32, 0, load_key(FAM_IP4, len));
	at += 1ull << (32 - len);
	return at + load_rng_below(&r->rng, (uint32_t)gap + 1) / 2;
}

static uint64_t
load_gen_walk6(struct load_run *r, uint64_t at)
{
	unsigned p = load_rng_below(&r->rng, 100), i = 0, len;

	for (; i + 1 < ARRAY_LEN(lens6) && p >= lens6[i].percent; i++)
		p -= lens6[i].percent;
	len = lens6[i].len;
	at = (at + (1ull << (64 - len)) - 1) >> (64 - len) << (64 - len);
	load_nets_add(&r->nets, at, 0, load_key(FAM_IP6, len));
	return at + (1ull << (64 - len)) +
	       ((uint64_t)load_rng_below(&r->rng, 1 << 16) << 16);
}

/* With a full table: some are of others alone, so that something else can be looked at
 * meanwhile. */
static uint32_t
load_gen_wanted(const struct load_run *r, enum family fam)
{
	uint32_t nets = r->opt->full + r->opt->full / 32;

	if (nets < r->opt->nets)
		nets = r->opt->nets;
	if (!(r->opt->families >> fam & 1))
		return 0;
	if (r->opt->families == 3)
		return fam == FAM_IP4 ? nets - nets / 4 : nets / 4;
	return nets;
}

static void
make_nets(struct load_run *r)
{
	uint32_t want4 = load_gen_wanted(r, FAM_IP4), want6 = load_gen_wanted(r, FAM_IP6),
		 start;
	uint64_t at = 1ull << 24;

	while (r->nets.cnt < want4 && at < 223ull << 24)
		at = load_gen_walk4(r, want4, at);
	/* What the walk left over are single /24 from anywhere. */
	while (r->nets.cnt < want4)
		load_nets_add(&r->nets,
		    ((uint64_t)(11 + load_rng_below(&r->rng, 100)) << 56) |
			((uint64_t)load_rng_below(&r->rng, 1 << 16) << 40),
		    0, load_key(FAM_IP4, 24));
	start = r->nets.cnt;
	at = 0x2a00000000000000ull;
	while (r->nets.cnt - start < want6)
		at = load_gen_walk6(r, at);
}

/* Choose @want of @cnt in their order. */
static void
add_some(struct load_run *r, const struct prefix *p, uint32_t cnt, uint32_t want,
    enum family fam)
{
	uint32_t i, left = 0;

	for (i = 0; i < cnt; i++)
		left += p[i].fam == fam;
	for (i = 0; i < cnt && want; i++) {
		if (p[i].fam != fam)
			continue;
		if (load_rng_below(&r->rng, left) < want) {
			load_nets_add_prefix(&r->nets, &p[i]);
			want--;
		}
		left--;
	}
}

static int
read_nets(struct load_run *r)
{
	uint32_t cnt = 0, cap = 1024;
	struct prefix *p = mem_alloc(MEM_OTHER, cap * sizeof(*p));
	char line[256];
	int pid, err = 0;
	FILE *f = load_sock_open_gz(r->opt->prefixes, &pid);

	if (!f) {
		mem_free(MEM_OTHER, p);
		return -ENOENT;
	}
	while (!err && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\r\n")] = 0;
		if (!line[0] || line[0] == '#')
			continue;
		if (cnt == cap)
			p = mem_realloc(MEM_OTHER, p, cap *= 2, sizeof(*p));
		err = prefix_parse(&p[cnt++], line);
	}
	if (err)
		fprintf(stderr, "ternload: %s: '%s' is not a prefix\n", r->opt->prefixes,
		    line);
	if (load_sock_close_gz(f, pid) && !err) {
		fprintf(stderr, "ternload: %s: can't be read\n", r->opt->prefixes);
		err = -EIO;
	}
	if (!err) {
		add_some(r, p, cnt, load_gen_wanted(r, FAM_IP4), FAM_IP4);
		add_some(r, p, cnt, load_gen_wanted(r, FAM_IP6), FAM_IP6);
	}
	mem_free(MEM_OTHER, p);
	return err;
}

int
load_gen_nets(struct load_run *r)
{
	if (r->opt->prefixes)
		return read_nets(r);
	make_nets(r);
	return 0;
}

static uint32_t
random_as(struct load_rng *g)
{
	uint32_t as;

	do {
		as = load_rng_chance(g, 0.4) ? 131072 + load_rng_below(g, 270000)
					     : 1 + load_rng_below(g, 64000);
	} while (as == AS_TRANS);
	return as;
}

static void
add_path(struct load_run *r, struct attr_canon *c, uint32_t first, bool *has_set)
{
	struct load_rng *g = &r->rng;
	bool bait = r->opt->filter && !r->opt->plain && !r->opt->sets_per_client;
	uint32_t n = 1 + load_rng_geometric(g, 3, 5), i, as = first;
	uint8_t v[512];

	if (bait && load_rng_chance(g, 0.002))
		n = 65 + load_rng_below(g, 4); /* too long for the import filter */
	v[0] = 2;
	v[1] = (uint8_t)n;
	for (i = 0; i < n; i++) {
		put_be32(v + 2 + 4 * i, as);
		if (!load_rng_chance(g, 0.1)) /* else it prepends itself */
			as = random_as(g);
	}
	n = 2 + 4 * n;
	*has_set = !r->opt->plain && load_rng_chance(g, 0.01);
	if (*has_set) {
		v[n] = 1;
		v[n + 1] = 2;
		put_be32(v + n + 2, random_as(g));
		put_be32(v + n + 6, random_as(g));
		n += 10;
	}
	attr_canon_add(c, AF_TRANSITIVE, A_AS_PATH, v, n);
}

static void
add_communities(struct load_run *r, struct attr_canon *c, uint32_t client)
{
	struct load_rng *g = &r->rng;
	uint32_t n = load_rng_chance(g, 0.5) ? 0 : 1 + load_rng_below(g, 4), i;
	uint8_t v[64];

	for (i = 0; i < n; i++)
		put_be32(
		    v + 4 * i, (load_rng_chance(g, 0.3) ? client % 64000 + 1
							: 1 + load_rng_below(g, 60000))
				       << 16 |
				   load_rng_below(g, 65536));
	if (!r->opt->plain && !r->opt->sets_per_client && load_rng_chance(g, 0.01))
		put_be32(v + 4 * n++, 65000u << 16 | 1);
	if (n)
		attr_canon_add(c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, v, 4 * n);
}

static void
add_next_hop(struct attr_canon *c, uint32_t client, enum family fam)
{
	uint8_t v[16];

	/* Daemons differ in what they take; none refuses these. */
	if (fam == FAM_IP4) {
		put_be32(v, 0x64400000u + 1 + client); /* 100.64.0.0/10 */
		attr_canon_add(c, AF_TRANSITIVE, A_NEXT_HOP, v, 4);
	} else {
		put_be64(v, 0x20010db8ffff0000ull);
		put_be64(v + 8, 1 + client);
		attr_canon_add(c, AF_OPTIONAL, A_MP_REACH, v, 16);
	}
}

/* What the announcer of one set in ten asks for: not to some, to some only, or to some
 * with a longer path. Returns: octets of large communities. */
static unsigned
load_gen_control(struct load_run *r, uint8_t *v)
{
	struct load_rng *g = &r->rng;
	uint32_t how = load_rng_below(g, r->opt->no_prepends ? 2 : 3);
	uint32_t cnt = 1 + load_rng_below(g, 3), n = 0, ask;

	if (!r->opt->own_filter || !load_rng_chance(g, 0.1))
		return 0;
	ask = how == 2 ? ASK_PREPEND + 1 + load_rng_below(g, 3) : how;
	if (ask == ASK_TO) {
		put_be32(v, r->opt->server_as);
		put_be32(v + 4, ASK_NOT_TO);
		put_be32(v + 8, 0);
		n = 12;
	}
	for (; cnt; cnt--, n += 12) {
		put_be32(v + n, r->opt->server_as);
		put_be32(v + n + 4, ask);
		put_be32(v + n + 8, r->opt->first_as + load_rng_below(g, r->clients));
	}
	return n;
}

static void
add_rare(struct load_run *r, struct attr_canon *c)
{
	struct load_rng *g = &r->rng;
	uint8_t v[24], large[64];
	unsigned n;

	if (load_rng_chance(g, 0.03)) {
		put_be64(v,
		    0x0002000000000000ull | (load_rng_u64(g) >> 24)); /* route target */
		attr_canon_add(c, AF_OPTIONAL | AF_TRANSITIVE, A_EXT_COMMUNITY, v, 8);
	}
	n = load_gen_control(r, large);
	if (load_rng_chance(g, 0.1)) {
		put_be32(large + n, random_as(g));
		put_be32(large + n + 4, load_rng_below(g, 1000));
		put_be32(large + n + 8, load_rng_below(g, 1000));
		n += 12;
	}
	if (n)
		attr_canon_add(
		    c, AF_OPTIONAL | AF_TRANSITIVE, A_LARGE_COMMUNITY, large, n);
	if (load_rng_chance(g, 0.005)) {
		put_be64(v, load_rng_u64(g));
		attr_canon_add(
		    c, AF_OPTIONAL | AF_TRANSITIVE, 213, v, 8); /* unassigned */
	}
}

/* Make the length of the path, divided by the number of paths, leave @id. */
static uint32_t
set_of_path(struct load_run *r, const struct attr_canon *c, uint8_t id)
{
	uint32_t paths = r->opt->paths, more = 0;
	struct attr_canon longer;
	struct attr_facts f;

	if (paths > 1) {
		attr_facts(&f, (struct span){ c->octet, c->len }, 0);
		more = (id + paths - f.path_len % paths) % paths;
	}
	if (!more)
		return load_set_intern(&r->sets, (struct span){ c->octet, c->len });
	attr_prepended(&longer, (struct span){ c->octet, c->len }, more);
	return load_set_intern(&r->sets, (struct span){ longer.octet, longer.len });
}

uint32_t
load_gen_set(struct load_run *r, uint32_t client, enum family fam, uint8_t id)
{
	struct load_rng *g = &r->rng;
	struct attr_canon c = { 0 };
	uint8_t v[8];
	bool has_set;

	v[0] = load_rng_chance(g, 0.85) ? 0 : load_rng_chance(g, 0.95) ? 2 : 1;
	attr_canon_add(&c, AF_TRANSITIVE, A_ORIGIN, v, 1);
	add_path(r, &c, r->facts[client].as, &has_set);
	if (fam == FAM_IP4)
		add_next_hop(&c, client, fam);
	if (load_rng_chance(g, 0.2)) {
		put_be32(v, load_rng_below(g, 1000));
		attr_canon_add(&c, AF_OPTIONAL, A_MED, v, 4);
	}
	if (has_set) {
		attr_canon_add(&c, AF_TRANSITIVE, A_ATOMIC, v, 0);
		put_be32(v, random_as(g));
		put_be32(v + 4, 0xc6336400u + load_rng_below(g, 256));
		attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_AGGREGATOR, v, 8);
	}
	add_communities(r, &c, client);
	if (fam == FAM_IP6)
		add_next_hop(&c, client, fam);
	if (!r->opt->plain)
		add_rare(r, &c);
	return set_of_path(r, &c, id);
}

/* Client 0 and the others each have their share of the nets; they overlap at random. */
static bool
full_has(struct load_run *r, uint32_t net)
{
	uint32_t left = r->nets.cnt - net;

	if (load_rng_below(&r->rng, left) < r->full_left) {
		load_client_add_route(&r->client[0], load_model_route(&r->model, 0, net));
		r->full_left--;
	}
	if (load_rng_below(&r->rng, left) >= r->others_left)
		return false;
	r->others_left--;
	return true;
}

/* Who announces which net: clients' routes in order of nets. */
static void
load_gen_spread(struct load_run *r)
{
	uint32_t clients = r->clients - r->opt->silent;
	uint32_t n, k, j, c, most = clients < 64 ? clients : 64, chosen[64];
	uint32_t first = r->opt->full != 0;

	r->full_left = r->opt->full;
	if (r->full_left > r->nets.cnt - r->nets.cnt / 33) /* the file held fewer */
		r->full_left = r->nets.cnt - r->nets.cnt / 33;
	r->others_left = r->opt->nets;
	most -= clients <= 64 && first;
	for (n = 0; n < r->nets.cnt; n++) {
		if (first && !full_has(r, n))
			continue;
		k = load_rng_geometric(&r->rng, r->opt->ratio, most);
		if (r->opt->ratio <= 1) { /* equal shares */
			chosen[0] = first + (uint32_t)((uint64_t)n * (clients - first) /
						       r->nets.cnt);
			k = 1;
		}
		for (j = 0; j < k && r->opt->ratio > 1;) {
			chosen[j] = first + load_rng_below(&r->rng, clients - first);
			for (c = 0; c < j && chosen[c] != chosen[j]; c++)
				;
			j += c == j;
		}
		for (j = 0; j < k; j++)
			load_client_add_route(&r->client[chosen[j]],
			    load_model_route(&r->model, chosen[j], n));
	}
}

/* Further paths for half of what a client announces, for half of these one more, and so
 * on; behind the first ones, so that neighbouring routes share a set. */
static void
add_paths(struct load_run *r, struct load_client *c)
{
	uint32_t from = 0, end = c->route_cnt, i, net;
	unsigned id;

	for (id = 1; id < r->opt->paths && c->nr >= r->opt->no_add_paths; id++) {
		for (i = from; i < end; i++) {
			net = r->model.route[c->route[i]].net;
			if (load_rng_chance(&r->rng, 0.5))
				load_client_add_route(c,
				    load_model_path(&r->model, c->nr, net, (uint8_t)id));
		}
		from = end;
		end = c->route_cnt;
	}
}

/* Groups of neighbouring routes of one client share a set. */
static void
give_sets(struct load_run *r, struct load_client *c)
{
	uint32_t i, left = 0, set = 0, group, per = r->opt->sets_per_client;
	enum family fam = FAM_IP4, last = FAM_CNT;
	uint8_t id = 0;

	group = per ? (c->route_cnt + per - 1) / per : 0;
	for (i = 0; i < c->route_cnt; i++) {
		struct model_route *q = &r->model.route[c->route[i]];

		fam = load_net_family(&r->nets.net[q->net]);
		if (!left || fam != last || q->id != id) {
			set = load_gen_set(r, c->nr, fam, q->id);
			left = per ? group
				   : load_rng_geometric(&r->rng, r->opt->share, 1000);
			last = fam;
			id = q->id;
		}
		q->set = set;
		left--;
	}
	if (r->opt->interleave)
		load_rng_shuffle(&r->rng, c->route, c->route_cnt);
}

void
load_gen_routes(struct load_run *r)
{
	uint32_t c;

	load_gen_spread(r);
	for (c = 0; c < r->clients; c++) {
		add_paths(r, &r->client[c]);
		give_sets(r, &r->client[c]);
	}
}
