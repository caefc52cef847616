/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of sessions with caches: properties of every cell, a few walks, and
 * the table in doc/rfc.md (test/lib/fsm_doc.h). */
#include "proto/rpki/rpki_fsm.c"
#include "test/lib/fsm_doc.h"

static struct fsm_doc doc;

/* As doc/rfc.md calls them. */
static const char *const action_text[] = { "none",
#define X(name, text) text,
	RPKI_ACTION_TABLE(X)
#undef X
};

static void
test_rpki_fsm_print_row(
    FILE *f, enum rpki_state s, enum rpki_event e, const char *when, struct rpki_step st)
{
	fprintf(f, "| %s | %s%s | %s |", rpki_state_text(s), rpki_event_text(e), when,
	    rpki_state_text(st.next));
	for (unsigned i = 0; i < st.cnt; i++)
		fprintf(f, "%s %s", i ? ";" : "", action_text[st.action[i]]);
	fprintf(f, " |\n");
}

/* print_table - one row a cell that does something, two where the query decides. */
static void
test_rpki_fsm_print_table(FILE *f)
{
	for (int s = RPKI_STATE_NONE + 1; s < RPKI_STATE_CNT; s++)
		for (int e = RPKI_EV_NONE + 1; e < RPKI_EV_CNT; e++) {
			struct rpki_step a = rpki_fsm_step(s, e, true),
					 b = rpki_fsm_step(s, e, false);

			if (a.cnt)
				test_rpki_fsm_print_row(f, s, e, "", a);
			if (memcmp(&a, &b, sizeof(a)))
				test_rpki_fsm_print_row(
				    f, s, e, ", after a Reset Query", b);
		}
}

static bool
test_rpki_fsm_has(struct rpki_step st, enum rpki_action a)
{
	return memchr(st.action, a, st.cnt) != NULL;
}

static bool
test_rpki_fsm_connected(unsigned s)
{
	return s == RPKI_START || s == RPKI_RUNNING || s == RPKI_ESTABLISHED ||
	       s == RPKI_NO_DATA;
}

/* What each state promises. */
static void
test_rpki_fsm_check_cell(unsigned s, unsigned e, struct rpki_step st)
{
	bool began = test_rpki_fsm_has(st, RPKI_ACT_CONNECT);

	assert_in_range(st.next, RPKI_DOWN, RPKI_FATAL);
	/* a connection is closed before another one, and where there is none */
	if ((test_rpki_fsm_connected(s) || s == RPKI_CONNECTING) &&
	    !test_rpki_fsm_connected(st.next) && (st.next != RPKI_CONNECTING || began))
		assert_true(test_rpki_fsm_has(st, RPKI_ACT_CLOSE));
	assert_int_equal(began, st.next == RPKI_CONNECTING && st.cnt && !(s == st.next));
	/* what was collected is applied or dropped */
	if (s == RPKI_RUNNING && st.next != RPKI_RUNNING)
		assert_true(test_rpki_fsm_has(st, RPKI_ACT_APPLY) !=
			    test_rpki_fsm_has(st, RPKI_ACT_DROP));
	else
		assert_false(test_rpki_fsm_has(st, RPKI_ACT_APPLY) ||
			     test_rpki_fsm_has(st, RPKI_ACT_DROP));
	assert_int_equal(test_rpki_fsm_has(st, RPKI_ACT_COLLECT),
	    st.next == RPKI_RUNNING && s != RPKI_RUNNING);
	/* data goes when it expires, or an operator says so */
	assert_int_equal(test_rpki_fsm_has(st, RPKI_ACT_EMPTY),
	    (e == RPKI_EV_EXPIRE || e == RPKI_EV_STOP) && s != RPKI_DOWN &&
		(e == RPKI_EV_STOP || st.cnt));
	if (e == RPKI_EV_EXPIRE && s != RPKI_DOWN)
		assert_true(st.cnt);
	/* who waits has a timer */
	if (st.cnt && st.next != s && st.next != RPKI_DOWN && st.next != RPKI_ESTABLISHED)
		assert_true(test_rpki_fsm_has(st, RPKI_ACT_RETRY) ||
			    test_rpki_fsm_has(st, RPKI_ACT_BACKOFF));
	if (st.next == RPKI_ESTABLISHED && s != RPKI_ESTABLISHED)
		assert_true(
		    test_rpki_fsm_has(st, RPKI_ACT_REFRESH) &&
		    test_rpki_fsm_has(st, RPKI_ACT_EXPIRE) == (e != RPKI_EV_SHORT));
	/* a refused answer is asked for again, as a whole */
	if (e == RPKI_EV_SHORT && st.cnt)
		assert_true(test_rpki_fsm_has(st, RPKI_ACT_DROP) &&
			    test_rpki_fsm_has(st, RPKI_ACT_FORGET));
	if (test_rpki_fsm_has(st, RPKI_ACT_QUERY))
		assert_int_equal(st.next, RPKI_START);
	/* a connection begins with the highest version, or with the lowered one */
	assert_int_equal(began, test_rpki_fsm_has(st, RPKI_ACT_RAISE) ||
				    test_rpki_fsm_has(st, RPKI_ACT_DOWNGRADE));
}

static void
test_every_cell(void **state)
{
	(void)state;
	for (unsigned s = RPKI_STATE_NONE + 1; s < RPKI_STATE_CNT; s++)
		for (unsigned e = RPKI_EV_NONE + 1; e < RPKI_EV_CNT; e++)
			for (int serial = 0; serial < 2; serial++)
				test_rpki_fsm_check_cell(
				    s, e, rpki_fsm_step(s, e, serial));
}

static enum rpki_state
test_rpki_fsm_walk(enum rpki_state s, const uint8_t *e)
{
	for (; *e; e++)
		s = rpki_fsm_step(s, *e, true).next;
	return s;
}

static void
test_walks(void **state)
{
	static const uint8_t first[] = { RPKI_EV_BEGIN, RPKI_EV_CONNECTED,
		RPKI_EV_RESPONSE, RPKI_EV_RECORD, RPKI_EV_END, 0 };
	static const uint8_t restarted[] = { RPKI_EV_LOST, RPKI_EV_RETRY,
		RPKI_EV_CONNECTED, RPKI_EV_OTHER_SESSION, RPKI_EV_CONNECTED,
		RPKI_EV_RESPONSE, RPKI_EV_END, 0 };
	static const uint8_t old[] = { RPKI_EV_REFRESH, RPKI_EV_CACHE_RESET,
		RPKI_EV_RESPONSE, RPKI_EV_END, 0 };
	static const uint8_t frozen[] = { RPKI_EV_REFRESH, RPKI_EV_RETRY, 0 };

	(void)state;
	assert_int_equal(test_rpki_fsm_walk(RPKI_DOWN, first), RPKI_ESTABLISHED);
	assert_int_equal(
	    test_rpki_fsm_walk(RPKI_ESTABLISHED, restarted), RPKI_ESTABLISHED);
	assert_int_equal(test_rpki_fsm_walk(RPKI_ESTABLISHED, old), RPKI_ESTABLISHED);
	assert_int_equal(test_rpki_fsm_walk(RPKI_ESTABLISHED, frozen), RPKI_TRANSPORT);
	assert_int_equal(
	    rpki_fsm_step(RPKI_START, RPKI_EV_CACHE_RESET, false).next, RPKI_FATAL);
}

/* A failed Serial Query leads to a Reset Query without a pause, a failed Reset Query to a
 * pause: no cache can make an endless loop of errors. */
static void
test_starts_over(void **state)
{
	static const uint8_t bad[] = { RPKI_EV_REPORT, RPKI_EV_REPORT_NO_DATA,
		RPKI_EV_FAULT };

	(void)state;
	for (unsigned s = RPKI_START; s <= RPKI_RUNNING; s++)
		for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
			struct rpki_step a = rpki_fsm_step(s, bad[i], true),
					 b = rpki_fsm_step(s, bad[i], false);

			assert_true(test_rpki_fsm_has(a, RPKI_ACT_FORGET) &&
				    test_rpki_fsm_has(b, RPKI_ACT_FORGET));
			assert_true(test_rpki_fsm_has(a, RPKI_ACT_QUERY) ||
				    test_rpki_fsm_has(a, RPKI_ACT_CONNECT));
			assert_false(test_rpki_fsm_has(a, RPKI_ACT_BACKOFF));
			assert_false(test_rpki_fsm_has(b, RPKI_ACT_QUERY) ||
				     test_rpki_fsm_has(b, RPKI_ACT_CONNECT));
			assert_true(test_rpki_fsm_has(b, RPKI_ACT_BACKOFF));
		}
	assert_true(test_rpki_fsm_has(
	    rpki_fsm_step(RPKI_START, RPKI_EV_LOST, true), RPKI_ACT_CONNECT));
	assert_true(test_rpki_fsm_has(
	    rpki_fsm_step(RPKI_START, RPKI_EV_LOST, false), RPKI_ACT_BACKOFF));
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
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_starts_over),
		cmocka_unit_test(test_doc),
	};

	doc = (struct fsm_doc){ "<!-- rpki fsm: begin -->", "<!-- rpki fsm: end -->",
		test_rpki_fsm_print_table, "" };
	if (fsm_doc_args(&doc, argc, argv))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
