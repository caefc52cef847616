/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prop_load checks that ternload's record of its clients' routes equals the routes that
 * were sent: random UPDATEs, most of which several clients get and some get again, in
 * streams that are cut anywhere, against plain arrays that are filled by taking every
 * message apart. Sessions of 2 and 4 octets get the same octets, some of which mean
 * something else there or nothing at all; a message that makes no sense ends the session.
 * Meanwhile what must be held changes, and what was kept of messages is forgotten now and
 * then. */
#include "test/load/load_client.c"
#include "test/lib/load_rig.h"
#include "test/lib/seed.h"

#define CLIENTS  6
#define MESSAGES 64
#define NETS     512 /* at most */

struct message {
	unsigned len;
	uint8_t p[512];
};

static struct message messages[MESSAGES];
static uint32_t plain[CLIENTS][NETS]; /* set by net number */
static uint64_t plain_in[CLIENTS], plain_out[CLIENTS]; /* prefixes announced, withdrawn */
static struct load_rig rig;

static uint8_t *
put_prefixes(uint8_t *q, struct seed *s, unsigned most)
{
	unsigned n = seed_below(s, most + 1), first = seed_below(s, 200);
	bool in_order = seed_chance(s, 2);

	while (n--) {
		unsigned k = in_order ? first++ : seed_below(s, 200);

		q += msg_put_prefix(q, (uint64_t)(20 + k) << 56 | (uint64_t)k << 48, 0,
		    seed_chance(s, 5000) ? 33 : 16);
	}
	return q;
}

/* A path that is one AS with 4 octets, and with 2 octets another and an empty sequence;
 * or one that makes sense to one kind of session only. Some ask that a client not get the
 * route. */
static uint8_t *
put_attributes(uint8_t *q, struct seed *s)
{
	static const uint8_t paths[3][6] = { { 2, 1, 0, 1, 2, 0 }, { 2, 1, 0, 2, 0, 9 },
		{ 2, 2, 0, 1, 0, 2 } };

	memcpy(q, "\x40\x01\x01\0\x40\x03\x04\x0a\0\0\1\x40\x02\6", 14);
	memcpy(q + 14, paths[seed_chance(s, 100) ? 1 + seed_below(s, 2) : 0], 6);
	memcpy(q + 20, "\x80\x04\x04\0\0\0", 6);
	q[26] = (uint8_t)seed_below(s, 6);
	q += 27;
	if (!seed_chance(s, 4))
		return q;
	memcpy(q, "\xc0\x20\x0c", 3);
	put_be32(q + 3, 65000);
	put_be32(q + 7, ASK_NOT_TO);
	put_be32(q + 11, 100000 + seed_below(s, CLIENTS));
	return q + 15;
}

static void
prop_load_make_message(struct message *m, struct seed *s)
{
	uint8_t *q = m->p + MSG_HEADER + 2, *at;

	memset(m->p, 0, sizeof(m->p));
	if (seed_chance(s, 3))
		q = put_prefixes(q, s, 20);
	put_be16(m->p + MSG_HEADER, (uint16_t)(q - m->p - MSG_HEADER - 2));
	at = q;
	q += 2;
	if (!seed_chance(s, 5)) {
		q = put_attributes(q, s);
		put_be16(at, (uint16_t)(q - at - 2));
		q = put_prefixes(q, s, 40);
	}
	m->len = msg_put_header(m->p, (unsigned)(q - m->p), MSG_UPDATE);
}

static bool
plain_prefixes(struct span s, uint32_t *held, uint32_t set, uint64_t *cnt)
{
	uint32_t key, net;
	uint64_t hi, lo;

	while (s.len) {
		if (!msg_next_prefix(&s, FAM_IP4, &hi, &lo, &key))
			return false;
		net = load_nets_add(&rig.run.nets, hi, lo, key);
		assert_true(net < NETS);
		held[net] = set;
		++*cnt;
	}
	return true;
}

/* Returns: whether the message makes sense to the client. */
static bool
plain_take(uint32_t c, const struct message *m)
{
	uint64_t in = plain_in[c], out = plain_out[c];
	uint32_t held[NETS], set = 0;
	struct msg_update u;

	memcpy(held, plain[c], sizeof(held));
	if (msg_get_update(&u, m->p + MSG_HEADER, m->len - MSG_HEADER))
		return false;
	if (u.nlri.len)
		set = load_set_of_update(&rig.run.sets, &u, rig.run.client[c].as4);
	if ((u.nlri.len && !set) || !plain_prefixes(u.withdrawn, held, 0, &out) ||
	    !plain_prefixes(u.nlri, held, set, &in))
		return false;
	memcpy(plain[c], held, sizeof(held));
	plain_in[c] = in;
	plain_out[c] = out;
	return true;
}

/* Client @c is sent messages in the usual order, but for some, in pieces. */
static void
send_stream(uint32_t c, struct seed *s)
{
	static uint8_t octets[MESSAGES * sizeof(messages[0].p) + MSG_SLACK],
	    buf[LOAD_RX_BUF + MSG_SLACK];
	struct load_client *cl = &rig.run.client[c];
	unsigned at = seed_below(s, MESSAGES), n = 1 + seed_below(s, MESSAGES - 1);
	bool sense = true;
	size_t len = 0, done, part;

	for (; n && sense; n--) {
		at = seed_chance(s, 10) ? seed_below(s, MESSAGES) : (at + 1) % MESSAGES;
		sense = plain_take(c, &messages[at]);
		memcpy(octets + len, messages[at].p, messages[at].len);
		len += messages[at].len;
	}
	for (done = 0; done < len && cl->state == CL_ESTABLISHED; done += part) {
		part = 1 +
		       seed_below(s, seed_chance(s, 2) ? 100 : (uint32_t)sizeof(octets));
		part = min_u64(part, len - done);
		memcpy(buf, cl->part, cl->part_len);
		memcpy(buf + cl->part_len, octets + done, part);
		take_octets(&rig.run, cl, buf, cl->part_len + part);
	}
	assert_int_equal(cl->state == CL_ESTABLISHED, sense);
	assert_true(done == len);
}

static void
prop_load_come_back(uint32_t c)
{
	struct load_client *cl = &rig.run.client[c];

	memset(plain[c], 0, sizeof(plain[c]));
	cl->fd = -1;
	cl->state = CL_ESTABLISHED;
	cl->dropped = true;
	cl->last_net = LOAD_NONE;
	cl->last_msg = 0;
	cl->part_len = 0;
	rig.run.up_cnt++;
	load_model_client(&rig.run.model, c, true, rig.run.now);
}

static void
prop_load_check(void)
{
	const struct load_board *b = &rig.run.board;
	uint32_t c, n, wrong, complete = 0;

	load_board_grow(&rig.run.board);
	for (c = 0; c < CLIENTS; c++) {
		wrong = 0;
		for (n = 0; n < rig.run.nets.cnt; n++) {
			assert_int_equal(load_board_held(b, c, n), plain[c][n]);
			wrong += plain[c][n] != load_board_expected(b, c, n);
		}
		assert_int_equal(b->row[c].wrong, wrong);
		assert_int_equal(b->row[c].prefixes, plain_in[c]);
		assert_int_equal(b->row[c].withdrawn, plain_out[c]);
		complete += !wrong;
	}
	assert_int_equal(b->complete_cnt, complete);
}

/* What must be held changes to what is in one of the messages, or to nothing; or what is
 * asked of a net does. */
static void
change_wants(struct seed *s)
{
	struct load_run *r = &rig.run;
	uint32_t n = seed_below(s, r->nets.cnt), want = plain[seed_below(s, CLIENTS)][n];

	switch (seed_below(s, 4)) {
	case 0:
		load_board_loosen(&r->board, seed_chance(s, 2) ? n : LOAD_NONE, r->now);
		break;
	case 1:
		load_board_probe(&r->board, seed_chance(s, 2) ? n : LOAD_NONE);
		break;
	default:
		if (want)
			load_set_judge(&r->sets, want);
		load_board_want(&r->board, n, want, seed_below(s, CLIENTS), r->now);
	}
}

static void
prop_load_play(struct seed *s, const char *option, uint32_t rounds)
{
	const char *const argv[] = { "ternload", "--clients", "6", "--nets", "20",
		"--quiet", option };
	size_t most;
	uint32_t i, c;

	memset(plain, 0, sizeof(plain));
	memset(plain_in, 0, sizeof(plain_in));
	memset(plain_out, 0, sizeof(plain_out));
	load_rig_up(&rig, argv, ARRAY_LEN(argv) - !option);
	most = rig.run.seen[0].most;
	rig.run.seen[0].most = rig.run.seen[1].most = 40 << 10; /* soon full */
	for (c = 0; c < CLIENTS; c++) {
		rig.run.client[c].as4 = c & 1;
		rig.run.client[c].seen = &rig.run.seen[c & 1];
		rig.run.client[c].dropped = true;
		rig.run.client[c].part = mem_alloc(MEM_OTHER, MSG_MAX);
	}
	for (i = 0; i < MESSAGES; i++)
		prop_load_make_message(&messages[i], s);
	for (i = 0; i < rounds; i++) {
		c = seed_below(s, CLIENTS);
		send_stream(c, s);
		if (rig.run.client[c].state == CL_IDLE)
			prop_load_come_back(c);
		if (seed_chance(s, 2))
			change_wants(s);
		if (seed_chance(s, 8))
			prop_load_make_message(&messages[seed_below(s, MESSAGES)], s);
		prop_load_check();
	}
	rig.run.seen[0].most = rig.run.seen[1].most = most;
	for (c = 0; c < CLIENTS; c++)
		rig.run.client[c].state = CL_IDLE;
	load_rig_down(&rig);
}

static void
test_load(void **state)
{
	struct seed s = seed_start("prop_load");

	(void)state;
	prop_load_play(&s, NULL, seed_rounds(2000));
	prop_load_play(&s, "--lenient", seed_rounds(2000));
	prop_load_play(&s, "--own-filter", seed_rounds(2000));
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_load) };

UNIT_MAIN(tests)
