/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The codec: NLRI, whole UPDATEs of 1 to 500 prefixes and attribute sets, inwards and
 * outwards.
 *
 * "Typical" is ORIGIN, AS_PATH of three, NEXT_HOP, MED, LOCAL_PREF and two communities;
 * "rich" has five ASes and a set in the path, five communities, three large ones and an
 * AGGREGATOR: the sets of the tables that others published. Lengths of prefixes are as in
 * the tables of the Internet. */
#include "lib/attr/as_path.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "test/bench/bench.h"
#include "test/lib/seed.h"
#include "test/lib/wire.h"

#define PREFIXES 500
#define PAD      16
#define ROUNDS   20

/* A message of @cnt prefixes and what it is made of. */
struct codec {
	struct bgp_params params;
	struct bgp_class class;
	struct wire_set *set;
	unsigned cnt, times;
	size_t nlri_len, msg_len, enc_len;
	struct prefix net[PREFIXES];
	uint8_t nlri[PREFIXES * PREFIX_WIRE_MAX + PAD], msg[BGP_MSG_MAX + PAD];
	uint8_t enc[1024], out[4 * BGP_MSG_MAX], blob[BGP_BLOB_CAP(BGP_MSG_MAX)];
	uint64_t sink;
};

static void
bench_codec_make_nlri(struct codec *c, struct seed *s)
{
	c->nlri_len = 0;
	for (unsigned i = 0; i < c->cnt; i++) {
		unsigned bits = seed_below(s, 10) < 6 ? 24
				: seed_chance(s, 12)  ? 12 + seed_below(s, 8)
						      : 20 + seed_below(s, 4);

		c->net[i] = prefix_make(
		    ip4(0x01000000 + seed_below(s, 0xd0000000)), bits, FAM_IP4);
		c->nlri_len += prefix_put(c->nlri + c->nlri_len, &c->net[i]);
	}
}

static int
bench_codec_pack(const struct codec *c, struct wbuf *out)
{
	const struct bgp_update_parts u = { FAM_IP4, c->enc, c->enc_len, c->nlri,
		c->nlri_len };

	return bgp_update_pack(&c->class, &u, out);
}

static struct wire_set *
bench_codec_make_set(bool rich)
{
	static const uint8_t zero[12] = { 0 }, nh[] = { 192, 0, 2, 1 },
			     med[] = { 0, 0, 0, 50 };
	static const uint8_t path[] = { AS_SEQUENCE, 3, 0, 0, 0xfd, 0xe9, 0, 0, 0x0b,
		0x62, 0, 3, 0, 1 };
	static const uint8_t path_rich[] = { AS_SEQUENCE, 5, 0, 0, 0xfd, 0xe9, 0, 0, 0x0b,
		0x62, 0, 3, 0, 1, 0, 0, 0x20, 0x50, 0, 0, 0x1b, 0x1b, AS_SET, 2, 0, 0, 0,
		7, 0, 0, 0, 9 };
	static const uint8_t comm[] = { 0, 1, 0, 2, 0, 3, 0, 4, 0xfd, 0xe9, 2, 0x9a, 0, 9,
		0, 9, 1, 1, 1, 1 };
	static const uint8_t aggr[] = { 0, 0, 0x0b, 0x62, 10, 0, 0, 1 };
	uint8_t buf[256], large[36];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	for (unsigned i = 0; i < sizeof(large); i++)
		large[i] = (uint8_t)i;
	wire_item(&w, 0x40, ATTR_ORIGIN, zero, 1);
	if (rich)
		wire_item(&w, 0x40, ATTR_AS_PATH, path_rich, sizeof(path_rich));
	else
		wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 4);
	wire_item(&w, 0x80, ATTR_MED, med, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, med, 4);
	if (rich)
		wire_item(&w, 0xc0, ATTR_AGGREGATOR, aggr, sizeof(aggr));
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, rich ? 20 : 8);
	if (rich)
		wire_item(&w, 0xc0, ATTR_LARGE_COMMUNITY, large, sizeof(large));
	return wire_new(buf, wbuf_len(&w));
}

/* make - a message of @cnt prefixes with the present set. */
static void
bench_codec_make(struct codec *c, struct seed *s, unsigned cnt)
{
	struct wbuf w = wbuf_of(c->enc, sizeof(c->enc)), m = wbuf_of(c->msg, BGP_MSG_MAX);
	int len = bgp_attr_encode(&c->class, FAM_IP4, c->set, &w);

	ASSERT(len > 0);
	c->cnt = cnt;
	c->times = 400000 / (cnt + 20);
	bench_codec_make_nlri(c, s);
	c->enc_len = (size_t)len;
	ASSERT(bench_codec_pack(c, &m) == 1);
	c->msg_len = wbuf_len(&m);
}

/* ---- what is measured ---- */

static void
decode_update(void *arg)
{
	struct codec *c = arg;
	struct bgp_update u;

	for (unsigned i = 0; i < c->times; i++) {
		c->sink += bgp_update_decode(&c->params, c->msg + BGP_HDR_LEN,
		    c->msg_len - BGP_HDR_LEN, &u, c->blob, sizeof(c->blob));
		c->sink += u.reach[0].blob_len;
	}
}

/* As others do: every prefix becomes a value. */
static void
decode_values(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++) {
		int cnt = nlri_check(FAM_IP4, c->nlri, c->nlri_len);

		for (size_t at = 0, k = 0; at < c->nlri_len; k++)
			at += prefix_get(&c->net[k], c->nlri + at, FAM_IP4);
		c->sink += (uint64_t)cnt + ip_to_v4(c->net[0].addr);
	}
}

static void
bench_codec_check_nlri(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++)
		c->sink += (uint64_t)nlri_check(FAM_IP4, c->nlri, c->nlri_len);
}

static void
encode_values(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++) {
		size_t at = 0;

		for (unsigned k = 0; k < c->cnt; k++)
			at += prefix_put(c->out + at, &c->net[k]);
		c->sink += at;
	}
}

static void
build_update(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++) {
		struct wbuf w = wbuf_of(c->out, sizeof(c->out));

		c->sink += (uint64_t)bgp_update_build(
		    &c->class, FAM_IP4, c->set, c->nlri, c->nlri_len, &w);
	}
}

static void
pack_update(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++) {
		struct wbuf w = wbuf_of(c->out, sizeof(c->out));

		c->sink += (uint64_t)bench_codec_pack(c, &w);
	}
}

static void
encode_attrs(void *arg)
{
	struct codec *c = arg;

	for (unsigned i = 0; i < c->times; i++) {
		struct wbuf w = wbuf_of(c->out, sizeof(c->out));

		c->sink += (uint64_t)bgp_attr_encode(&c->class, FAM_IP4, c->set, &w);
	}
}

static void
bench_codec_row(struct codec *c, void (*run)(void *arg), struct bench_row r)
{
	struct bench_job j = { .run = run, .arg = c, .rounds = ROUNDS, .each = c->times };

	r.unit = "ns";
	bench_time(&r, &j);
	bench_row(&r);
}

/* What others published for as many prefixes, and our budgets. */
struct size_row {
	unsigned cnt;
	double get, put, build, parse, parse_here, build_here, parse_max, pack_max;
};

static void
bench_sizes(struct codec *c, struct seed *s)
{
	static const struct size_row size[] = {
		{ 1, 21, 12, 156, 158, 0, 0, 0, 0 },
		{ 10, 94, 26, 207, 231, 0, 0, 0, 0 },
		{ 100, 662, 198, 498, 868, 0, 0, 0, 0 },
		{ 500, 3000, 1000, 1600, 3300, 3500, 1600, 1300, 100 },
	};
	char name[64];

	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		const struct size_row *z = &size[i];

		bench_codec_make(c, s, z->cnt);
		snprintf(name, sizeof(name), "%u NLRI decoded into values", z->cnt);
		bench_codec_row(c, decode_values,
		    (struct bench_row){ .name = name, .published = z->get });
		snprintf(name, sizeof(name), "%u NLRI checked in place", z->cnt);
		bench_codec_row(c, bench_codec_check_nlri,
		    (struct bench_row){ .name = name, .published = z->get });
		snprintf(name, sizeof(name), "%u NLRI encoded from values", z->cnt);
		bench_codec_row(c, encode_values,
		    (struct bench_row){ .name = name, .published = z->put });
		snprintf(name, sizeof(name), "UPDATE of %u parsed, typical attributes",
		    z->cnt);
		bench_codec_row(c, decode_update,
		    (struct bench_row){ .name = name,
			.published = z->parse,
			.measured = z->parse_here,
			.budget = z->parse_max });
		snprintf(
		    name, sizeof(name), "UPDATE of %u built, typical attributes", z->cnt);
		bench_codec_row(c, build_update,
		    (struct bench_row){
			.name = name, .published = z->build, .measured = z->build_here });
		snprintf(
		    name, sizeof(name), "UPDATE of %u built from stored NLRI", z->cnt);
		bench_codec_row(c, pack_update,
		    (struct bench_row){ .name = name,
			.published = z->build,
			.measured = z->build_here,
			.budget = z->pack_max });
	}
}

/* The same with rich attributes, which nobody published. */
static void
bench_rich(struct codec *c, struct seed *s)
{
	static const unsigned cnt[] = { 1, 10, 100, PREFIXES };
	char name[64];

	for (unsigned i = 0; i < ARRAY_LEN(cnt); i++) {
		bench_codec_make(c, s, cnt[i]);
		snprintf(
		    name, sizeof(name), "UPDATE of %u parsed, rich attributes", cnt[i]);
		bench_codec_row(c, decode_update, (struct bench_row){ .name = name });
		snprintf(
		    name, sizeof(name), "UPDATE of %u built, rich attributes", cnt[i]);
		bench_codec_row(c, build_update, (struct bench_row){ .name = name });
	}
}

/* Decoding is shown with a single prefix, since an UPDATE has at least one. */
static void
bench_sets(struct codec *c, struct seed *s)
{
	bench_codec_make(c, s, 1);
	bench_codec_row(c, decode_update,
	    (struct bench_row){ .name = "typical attributes decoded",
		.published = 133,
		.measured = 128,
		.budget = 60 });
	bench_codec_row(c, encode_attrs,
	    (struct bench_row){ .name = "typical attributes encoded",
		.published = 89,
		.measured = 94,
		.budget = 30 });
	free(c->set);
	c->set = bench_codec_make_set(true);
	bench_codec_make(c, s, 1);
	bench_codec_row(c, decode_update,
	    (struct bench_row){ .name = "rich attributes decoded", .published = 182 });
	bench_codec_row(c, encode_attrs,
	    (struct bench_row){ .name = "rich attributes encoded", .published = 167 });
	bench_rich(c, s);
}

int
main(int argc, char **argv)
{
	static struct codec c;
	struct seed s = { 1 };

	bench_start(argc, argv, "codec");
	c.params = (struct bgp_params){ .fam = 3, .as4 = true, .allow_local_pref = true };
	bgp_class_init(&c.class);
	c.set = bench_codec_make_set(false);
	bench_sizes(&c, &s);
	bench_sets(&c, &s);
	free(c.set);
	ASSERT(c.sink);
	return bench_end();
}
