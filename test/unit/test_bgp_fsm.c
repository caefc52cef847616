/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine: properties of every cell, a few walks, and the table in doc/rfc.md.
 * (test/lib/fsm_doc.h). */
#include "proto/bgp/session/bgp_fsm.c"
#include "test/lib/fsm_doc.h"

static const struct bgp_facts usual = { .passive = false, .hold = true };
static struct fsm_doc doc;

static bool
step_same(struct bgp_step a, struct bgp_step b)
{
	return a.next == b.next && a.cnt == b.cnt && !memcmp(a.action, b.action, a.cnt);
}

/* As doc/rfc.md calls them. */
static const char *const action_text[] = { "none",
#define X(name, text) text,
	BGP_ACTION_TABLE(X)
#undef X
};

static void
test_bgp_fsm_print_row(
    FILE *f, enum bgp_state s, enum bgp_event e, const char *when, struct bgp_step st)
{
	fprintf(f, "| %s | %d %s%s | %s |", bgp_state_text(s), (int)e, bgp_event_text(e),
	    when, bgp_state_text(st.next));
	if (!st.cnt)
		fprintf(f, " nothing");
	for (unsigned i = 0; i < st.cnt; i++) {
		fprintf(f, "%s %s", i ? ";" : "", action_text[st.action[i]]);
		if (st.action[i] != BGP_ACT_NOTIFY)
			continue;
		if (st.code)
			fprintf(f, " %u/%u", st.code, st.subcode);
		else
			fprintf(f, e == BGP_EV_MANUAL_STOP || e == BGP_EV_AUTO_STOP
				       ? " 6/n"
				       : " of the error");
	}
	fprintf(f, " |\n");
}

/* print_table - one row a cell, and one more where a fact changes the answer. */
static void
test_bgp_fsm_print_table(FILE *f)
{
	for (int s = BGP_STATE_NONE + 1; s < BGP_STATE_CNT; s++)
		for (int e = BGP_EV_NONE + 1; e < BGP_EV_CNT; e++) {
			struct bgp_step a = bgp_fsm_step(s, e, usual);
			struct bgp_step p = bgp_fsm_step(
			    s, e, (struct bgp_facts){ true, true });
			struct bgp_step h = bgp_fsm_step(
			    s, e, (struct bgp_facts){ false, false });

			test_bgp_fsm_print_row(f, s, e, "", a);
			if (!step_same(a, p))
				test_bgp_fsm_print_row(f, s, e, ", passive", p);
			if (!step_same(a, h))
				test_bgp_fsm_print_row(f, s, e, ", hold time 0", h);
		}
}

static bool
test_bgp_fsm_has(struct bgp_step st, enum bgp_action a)
{
	return memchr(st.action, a, st.cnt) != NULL;
}

/* What must hold in every cell, whatever the facts. */
static void
test_every_cell(void **state)
{
	(void)state;
	for (int s = BGP_STATE_NONE + 1; s < BGP_STATE_CNT; s++)
		for (int e = BGP_EV_NONE + 1; e < BGP_EV_CNT; e++)
			for (int i = 0; i < 4; i++) {
				struct bgp_facts f = { i & 1, i & 2 };
				struct bgp_step st = bgp_fsm_step(s, e, f);

				assert_in_range(st.next, BGP_IDLE, BGP_ESTABLISHED);
				if (st.next == BGP_IDLE && s != BGP_IDLE) {
					assert_true(test_bgp_fsm_has(st, BGP_ACT_CLOSE));
					assert_true(
					    test_bgp_fsm_has(st, BGP_ACT_RELEASE));
				}
				if (test_bgp_fsm_has(st, BGP_ACT_NOTIFY)) {
					assert_in_range(s, BGP_OPENSENT, BGP_ESTABLISHED);
					assert_int_equal(st.next, BGP_IDLE);
					assert_int_equal(st.action[0], BGP_ACT_NOTIFY);
				} else {
					assert_int_equal(st.code, 0);
				}
				assert_int_equal(test_bgp_fsm_has(st, BGP_ACT_UP),
				    st.next == BGP_ESTABLISHED && s != BGP_ESTABLISHED);
				if (test_bgp_fsm_has(st, BGP_ACT_UPDATE))
					assert_int_equal(s, BGP_ESTABLISHED);
				if (f.passive)
					assert_false(
					    test_bgp_fsm_has(st, BGP_ACT_CONNECT));
				if (!f.hold)
					assert_false(
					    test_bgp_fsm_has(st, BGP_ACT_HOLD_START) ||
					    test_bgp_fsm_has(
						st, BGP_ACT_KEEPALIVE_START));
			}
}

/* A start in a state other than IDLE does nothing (8.2.2), a stop always ends in IDLE. */
static void
test_start_stop(void **state)
{
	(void)state;
	for (int s = BGP_CONNECT; s <= BGP_ESTABLISHED; s++) {
		for (int e = BGP_EV_MANUAL_START; e <= BGP_EV_AUTO_START_DAMP_PASSIVE;
		     e++) {
			struct bgp_step st = bgp_fsm_step(s, e, usual);

			if (e == BGP_EV_MANUAL_STOP)
				continue;
			assert_int_equal(st.next, s);
			assert_int_equal(st.cnt, 0);
		}
		assert_int_equal(
		    bgp_fsm_step(s, BGP_EV_MANUAL_STOP, usual).next, BGP_IDLE);
		assert_int_equal(bgp_fsm_step(s, BGP_EV_AUTO_STOP, usual).next, BGP_IDLE);
	}
}

static void
test_bgp_fsm_walk(
    const uint8_t *event, const uint8_t *state, unsigned cnt, struct bgp_facts f)
{
	enum bgp_state s = BGP_IDLE;

	for (unsigned i = 0; i < cnt; i++) {
		s = bgp_fsm_step(s, event[i], f).next;
		assert_int_equal(s, state[i]);
	}
}

static void
test_walks(void **state)
{
	static const uint8_t active_ev[] = { BGP_EV_AUTO_START, BGP_EV_TCP_FAILS,
		BGP_EV_RETRY_EXPIRES, BGP_EV_TCP_ACKED, BGP_EV_OPEN, BGP_EV_KEEPALIVE,
		BGP_EV_UPDATE, BGP_EV_REFRESH, BGP_EV_KEEPALIVE_EXPIRES,
		BGP_EV_HOLD_EXPIRES, BGP_EV_IDLE_HOLD_EXPIRES };
	static const uint8_t active_st[] = { BGP_CONNECT, BGP_ACTIVE, BGP_CONNECT,
		BGP_OPENSENT, BGP_OPENCONFIRM, BGP_ESTABLISHED, BGP_ESTABLISHED,
		BGP_ESTABLISHED, BGP_ESTABLISHED, BGP_IDLE, BGP_CONNECT };
	static const uint8_t passive_ev[] = { BGP_EV_AUTO_START_PASSIVE,
		BGP_EV_TCP_CONFIRMED, BGP_EV_OPEN, BGP_EV_KEEPALIVE, BGP_EV_TCP_FAILS };
	static const uint8_t passive_st[] = { BGP_ACTIVE, BGP_OPENSENT, BGP_OPENCONFIRM,
		BGP_ESTABLISHED, BGP_IDLE };

	(void)state;
	test_bgp_fsm_walk(active_ev, active_st, ARRAY_LEN(active_ev), usual);
	test_bgp_fsm_walk(passive_ev, passive_st, ARRAY_LEN(passive_ev),
	    (struct bgp_facts){ true, true });
	assert_int_equal(bgp_fsm_step(BGP_IDLE, BGP_EV_IDLE_HOLD_EXPIRES,
			     (struct bgp_facts){ true, true })
			     .next,
	    BGP_ACTIVE);
}

/* The FSM error says in which state the message came (RFC 6608). */
static void
test_subcodes(void **state)
{
	(void)state;
	for (int s = BGP_OPENSENT; s <= BGP_ESTABLISHED; s++) {
		struct bgp_step st = bgp_fsm_step(s, BGP_EV_IDLE_HOLD_EXPIRES, usual);

		assert_int_equal(st.code, 5);
		assert_int_equal(st.subcode, s - BGP_OPENSENT + 1);
		assert_int_equal(bgp_fsm_step(s, BGP_EV_HOLD_EXPIRES, usual).code, 4);
		assert_int_equal(
		    bgp_fsm_step(s, BGP_EV_COLLISION_DUMP, usual).subcode, 7);
	}
	assert_int_equal(
	    bgp_fsm_step(BGP_ESTABLISHED, BGP_EV_SEND_HOLD_EXPIRES, usual).code, 8);
	assert_int_equal(bgp_fsm_step(BGP_OPENSENT, BGP_EV_UPDATE, usual).subcode, 1);
	assert_int_equal(bgp_fsm_step(BGP_OPENCONFIRM, BGP_EV_UPDATE, usual).subcode, 2);
}

/* doc/rfc.md has exactly the rows that the machine gives. */
static void
test_doc(void **state)
{
	(void)state;
	fsm_doc_check(&doc);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell),
		cmocka_unit_test(test_start_stop),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_subcodes),
		cmocka_unit_test(test_doc),
	};

	doc = (struct fsm_doc){ "<!-- fsm: begin -->", "<!-- fsm: end -->",
		test_bgp_fsm_print_table, "" };
	if (fsm_doc_args(&doc, argc, argv))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
