/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prop_load_paths checks ternload's record of clients with add-path and with `secondary`:
 * random UPDATEs with path identifiers, many of which several clients get and some get
 * again, against arrays that are filled path by path and compared by looking at
 * everything. Meanwhile what the server shall pass on changes, and clients forget all. */
#include "test/load/load_addpath.c"
#include "test/lib/load_rig.h"
#include "test/lib/seed.h"

#define CLIENTS  5 /* of which the first has no add-path */
#define MESSAGES 40
#define NETS     12
#define IDS      5
#define SETS     6

struct message {
	unsigned len;
	uint8_t p[512 + MSG_SLACK];
	uint32_t set; /* of what it announces */
	unsigned cnt, gone; /* paths, of which those withdrawn come first */
	uint8_t net[40], id[40];
};

static struct message messages[MESSAGES];
static uint32_t held[CLIENTS][NETS][IDS];
static uint64_t unknown[CLIENTS];
static struct load_path offer[NETS][4];
static uint32_t offered[NETS], sets[SETS];
static struct load_rig rig;

/* What asks that a client not get a path is in every other set. */
static void
make_sets(void)
{
	struct attr_canon c;
	uint8_t v[12];
	uint32_t i;

	for (i = 0; i < SETS; i++) {
		c.len = 0;
		attr_canon_add(&c, AF_TRANSITIVE, A_ORIGIN, "\0", 1);
		attr_canon_add(&c, AF_TRANSITIVE, A_AS_PATH, "\2\1\0\0\0\7", 6);
		attr_canon_add(&c, AF_TRANSITIVE, A_NEXT_HOP, "\12\0\0\1", 4);
		put_be32(v, i);
		attr_canon_add(&c, AF_OPTIONAL, A_MED, v, 4);
		put_be32(v, 65000);
		put_be32(v + 4, ASK_NOT_TO);
		put_be32(v + 8, 100000 + i % CLIENTS);
		if (i & 1)
			attr_canon_add(
			    &c, AF_OPTIONAL | AF_TRANSITIVE, A_LARGE_COMMUNITY, v, 12);
		sets[i] = load_set_intern(&rig.run.sets, (struct span){ c.octet, c.len });
		load_set_judge(&rig.run.sets, sets[i]);
	}
}

static unsigned
prop_load_paths_put_path(struct message *m, unsigned at, struct seed *s)
{
	m->net[m->cnt] = (uint8_t)seed_below(s, NETS);
	m->id[m->cnt] = (uint8_t)seed_below(s, IDS);
	put_be32(m->p + at, m->id[m->cnt]);
	at += 4 +
	      msg_put_prefix(m->p + at + 4, (uint64_t)(20 + m->net[m->cnt]) << 56, 0, 8);
	m->cnt++;
	return at;
}

static void
prop_load_paths_make_message(struct message *m, struct seed *s)
{
	static const struct span none = { NULL, 0 };
	unsigned n = seed_below(s, 8), at, len, mp_at;

	m->cnt = 0;
	if (seed_chance(s, 3)) {
		for (len = MSG_HEADER + 2; n--;)
			len = prop_load_paths_put_path(m, len, s);
		put_be16(m->p + MSG_HEADER, (uint16_t)(len - MSG_HEADER - 2));
		put_be16(m->p + len, 0);
		m->len = msg_put_header(m->p, len + 2, MSG_UPDATE);
		m->gone = m->cnt;
		return;
	}
	m->set = sets[seed_below(s, SETS)];
	m->gone = 0;
	at = attr_put_update(
	    m->p, n ? rig.run.sets.set[m->set].canon : none, true, FAM_IP4, &mp_at);
	for (len = at; n--;)
		len = prop_load_paths_put_path(m, len, s);
	m->len = attr_finish_update(m->p, len, at, mp_at);
}

/* Client @c gets it. */
static void
prop_load_paths_take(uint32_t c, const struct message *m)
{
	struct load_client *cl = &rig.run.client[c];
	unsigned i;

	if (load_update_again(&rig.run, cl, m->p, m->len) == 0)
		assert_int_equal(load_update_take(&rig.run, cl, m->p, m->len), 0);
	for (i = 0; i < m->cnt; i++) {
		uint32_t *h = &held[c][m->net[i]][m->id[i]];

		unknown[c] += i < m->gone && !*h;
		*h = i < m->gone ? 0 : m->set;
	}
}

static void
change_offer(struct seed *s)
{
	uint32_t n = seed_below(s, NETS), i;
	struct load_goal g = { 0, LOAD_NONE, 0, offer[n] };

	g.cnt = offered[n] = seed_below(s, 5);
	for (i = 0; i < g.cnt; i++)
		offer[n][i] = (struct load_path){ sets[seed_below(s, SETS)],
			seed_below(s, CLIENTS) };
	if (g.cnt) {
		g.want = offer[n][0].set;
		g.src = offer[n][0].src;
	}
	load_board_offer(&rig.run.board, n, &g, rig.run.now);
}

/* Is @set one of those that @c must hold of @n? Each counts once: *@used. */
static bool
prop_load_paths_is_wanted(uint32_t c, uint32_t n, uint32_t set, unsigned *used)
{
	uint32_t i;

	for (i = 0; i < offered[n]; i++) {
		if (offer[n][i].set != set || offer[n][i].src == c || *used >> i & 1 ||
		    !load_set_for(&rig.run.sets, set, c))
			continue;
		*used |= 1u << i;
		return true;
	}
	return false;
}

static bool
is_right(uint32_t c, uint32_t n)
{
	unsigned used = 0, all = 0;
	uint32_t i;

	for (i = 0; i < IDS; i++)
		if (held[c][n][i] &&
		    !prop_load_paths_is_wanted(c, n, held[c][n][i], &used))
			return false;
	for (i = 0; i < offered[n]; i++)
		if (offer[n][i].src != c &&
		    load_set_for(&rig.run.sets, offer[n][i].set, c))
			all |= 1u << i;
	return used == all;
}

/* What the client without add-path must hold. */
static uint32_t
first_of(uint32_t n)
{
	uint32_t i;

	for (i = 0; i < offered[n]; i++)
		if (offer[n][i].src && load_set_for(&rig.run.sets, offer[n][i].set, 0))
			return offer[n][i].set;
	return 0;
}

static void
prop_load_paths_check(void)
{
	const struct load_board *b = &rig.run.board;
	uint32_t c, n, wrong, complete = 0;

	for (c = 0; c < CLIENTS; c++) {
		wrong = 0;
		for (n = 0; n < NETS; n++) {
			bool right = c ? is_right(c, n) : held[0][n][0] == first_of(n);

			assert_int_equal(load_board_diff(b, c, n) == DIFF_NONE, right);
			wrong += !right;
		}
		assert_int_equal(b->row[c].wrong, wrong);
		assert_int_equal(b->add_path.row[c].unknown, unknown[c]);
		complete += !wrong;
	}
	assert_int_equal(b->complete_cnt, complete);
}

static void
prop_load_paths_change(struct seed *s)
{
	uint32_t c = 1 + seed_below(s, CLIENTS - 1), n = seed_below(s, NETS);

	change_offer(s);
	if (seed_chance(s, 30)) {
		load_board_reset(&rig.run.board, c, rig.run.now);
		memset(held[c], 0, sizeof(held[c]));
	}
	if (seed_chance(s, 100)) {
		load_board_bulk(&rig.run.board);
		change_offer(s);
		load_board_recount(&rig.run.board, rig.run.now);
	}
	/* The first client gets one set of a net at a time. */
	held[0][n][0] = seed_chance(s, 2) ? first_of(n) : sets[seed_below(s, SETS)];
	load_board_receive(&rig.run.board, 0, n, held[0][n][0], rig.run.now);
	if (seed_chance(s, 8))
		prop_load_paths_make_message(&messages[seed_below(s, MESSAGES)], s);
}

static void
test_paths(void **state)
{
	static const char *const argv[] = { "ternload", "--clients", "5", "--nets", "1",
		"--quiet", "--own-filter", "--secondary", "--add-paths", "tx",
		"--no-add-paths", "1" };
	struct seed s = seed_start("prop_load_paths");
	uint32_t i, c, at, rounds = seed_rounds(20000);
	static const struct load_goal nothing = { 0, LOAD_NONE, 0, NULL };

	(void)state;
	load_rig_up(&rig, argv, ARRAY_LEN(argv));
	load_board_offer(&rig.run.board, 0, &nothing, 1);
	rig.run.nets.cnt = 0; /* the nets are our own */
	memset(rig.run.nets.index, 0,
	    (rig.run.nets.index_mask + (size_t)1) * sizeof(*rig.run.nets.index));
	for (i = 0; i < NETS; i++)
		load_nets_add(&rig.run.nets, (uint64_t)(20 + i) << 56, 0, 8);
	load_board_grow(&rig.run.board);
	make_sets();
	for (c = 1; c < CLIENTS; c++) {
		rig.run.client[c].ids_in = rig.run.client[c].as4 = true;
		rig.run.client[c].seen = &rig.run.seen[3];
	}
	for (i = 0; i < MESSAGES; i++)
		prop_load_paths_make_message(&messages[i], &s);
	for (i = 0; i < rounds; i++) {
		c = 1 + seed_below(&s, CLIENTS - 1);
		at = seed_below(&s, MESSAGES);
		prop_load_paths_take(c, &messages[at]);
		if (seed_chance(&s, 2))
			prop_load_paths_take(c, &messages[(at + 1) % MESSAGES]);
		if (seed_chance(&s, 2))
			prop_load_paths_change(&s);
		prop_load_paths_check();
	}
	load_rig_down(&rig);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths) };

UNIT_MAIN(tests)
