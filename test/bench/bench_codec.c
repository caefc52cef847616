/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codec: nanoseconds for one UPDATE of 500 prefixes inwards and outwards, and for the
 * attributes alone. Prints one line of numbers; the best of several rounds, since other
 * work shares the machine. */
#include "lib/wire/bgp_msg.h"
#include "lib/wire/bgp_nlri.h"
#include "lib/wire/bgp_update_dec.h"
#include "lib/wire/bgp_update_enc.h"
#include "test/lib/seed.h"
#include "test/lib/wire.h"
#include <time.h>

#define PREFIXES 500
#define PAD      16
#define ROUNDS   20
#define TIMES    5000

static uint8_t nlri[PREFIXES * PREFIX_WIRE_MAX + PAD], msg[BGP_MSG_MAX + PAD];
static uint8_t out[4 * BGP_MSG_MAX], enc[1024], blob[BGP_BLOB_CAP(BGP_MSG_MAX)];
static uint64_t sink;

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Lengths as in the tables of the Internet: 60 % /24, most others /20 to /23. */
static size_t
make_nlri(struct seed *s)
{
	size_t len = 0;

	for (unsigned i = 0; i < PREFIXES; i++) {
		unsigned bits = seed_below(s, 10) < 6 ? 24
				: seed_chance(s, 12)  ? 12 + seed_below(s, 8)
						      : 20 + seed_below(s, 4);
		struct prefix net = prefix_make(
		    ip4(0x01000000 + seed_below(s, 0xd0000000)), bits, FAM_IP4);

		len += prefix_put(nlri + len, &net);
	}
	return len;
}

static struct wire_set *
make_set(void)
{
	static const uint8_t origin[] = { 0 }, nh[] = { 192, 0, 2, 1 };
	static const uint8_t path[] = { 2, 4, 0, 0, 0xfd, 0xe9, 0, 0, 0x0b, 0x62, 0, 3, 0,
		1, 0, 0, 0x20, 0x50 };
	static const uint8_t comm[] = { 0, 1, 0, 2, 0, 3, 0, 4, 0xff, 0xff, 2, 0x9a };
	static const uint8_t large[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };
	uint8_t buf[256];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	wire_item(&w, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 4);
	wire_item(&w, 0x80, ATTR_MED, nh, 4);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, sizeof(comm));
	wire_item(&w, 0xc0, ATTR_LARGE_COMMUNITY, large, sizeof(large));
	return wire_new(buf, wbuf_len(&w));
}

/* What is measured. */
struct job {
	struct bgp_params params;
	struct bgp_class class;
	struct wire_set *set;
	size_t nlri_len, msg_len, enc_len;
};

static void
job_decode(struct job *j)
{
	struct bgp_update u;

	sink += bgp_update_decode(&j->params, msg + BGP_HDR_LEN, j->msg_len - BGP_HDR_LEN,
	    &u, blob, sizeof(blob));
	sink += u.reach[0].blob_len;
}

/* The same attributes with a single prefix. */
static void
job_decode_attrs(struct job *j)
{
	size_t len = j->msg_len - BGP_HDR_LEN - j->nlri_len;
	struct bgp_update u;

	len += prefix_wire_len(nlri[0]);
	sink += bgp_update_decode(
	    &j->params, msg + BGP_HDR_LEN, len, &u, blob, sizeof(blob));
	sink += u.reach[0].blob_len;
}

static void
job_check(struct job *j)
{
	sink += (uint64_t)nlri_check(FAM_IP4, nlri, j->nlri_len);
}

static void
job_encode_attrs(struct job *j)
{
	struct wbuf w = wbuf_of(enc, sizeof(enc));

	sink += (uint64_t)bgp_attr_encode(&j->class, FAM_IP4, j->set, &w);
}

static void
job_pack(struct job *j)
{
	struct wbuf w = wbuf_of(out, sizeof(out));

	sink += (uint64_t)bgp_update_pack(
	    &j->class, FAM_IP4, enc, j->enc_len, nlri, j->nlri_len, &w);
}

static double
measure(struct job *j, void (*fn)(struct job *j))
{
	uint64_t best = UINT64_MAX;

	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t start = now_ns(), took;

		for (unsigned i = 0; i < TIMES; i++)
			fn(j);
		took = now_ns() - start;
		best = took < best ? took : best;
	}
	return (double)best / TIMES;
}

int
main(void)
{
	struct seed s = { 1 };
	struct job j = { .params = { .fam = 3, .as4 = true } };
	struct wbuf w = wbuf_of(enc, sizeof(enc)), m = wbuf_of(msg, BGP_MSG_MAX);
	int len;

	j.set = make_set();
	j.nlri_len = make_nlri(&s);
	bgp_class_init(&j.class);
	len = bgp_attr_encode(&j.class, FAM_IP4, j.set, &w);
	if (len < 0)
		return 1;
	j.enc_len = (size_t)len;
	if (bgp_update_pack(&j.class, FAM_IP4, enc, j.enc_len, nlri, j.nlri_len, &m) != 1)
		return 1;
	j.msg_len = wbuf_len(&m);
	printf("codec: update of %u prefixes: decode %.0f ns, build %.0f ns; "
	       "nlri_check %.0f ns; attributes: decode %.0f ns, encode %.0f ns\n",
	    PREFIXES, measure(&j, job_decode), measure(&j, job_pack),
	    measure(&j, job_check), measure(&j, job_decode_attrs),
	    measure(&j, job_encode_attrs));
	free(j.set);
	return sink == 0;
}
