/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of BFD sessions: properties of every cell, two of them talking to
 * each other, and the table in doc/rfc.md (test/lib/fsm_doc.h). */
#include "proto/bfd/bfd_fsm.c"
#include "test/lib/fsm_doc.h"

static struct fsm_doc doc;

/* As doc/rfc.md calls them. */
static const char *const event_text[] = {
#define X(name, text) [BFD_EV_##name] = (text),
	BFD_EVENT_TABLE(X)
#undef X
};
static const char *const action_text[] = { "none",
#define X(name, text) text,
	BFD_ACTION_TABLE(X)
#undef X
};

static void
test_bfd_fsm_print_table(FILE *f)
{
	for (unsigned s = 0; s < BFD_STATE_CNT; s++)
		for (unsigned e = 0; e < BFD_EV_CNT; e++) {
			struct bfd_step st = bfd_fsm_step(s, e);

			if (!st.cnt)
				continue;
			fprintf(f, "| %s | %s | %s |", bfd_state_text(s), event_text[e],
			    bfd_state_text(st.next));
			for (unsigned i = 0; i < st.cnt; i++)
				fprintf(
				    f, "%s %s", i ? ";" : "", action_text[st.action[i]]);
			fprintf(f, " |\n");
		}
}

static bool
test_bfd_fsm_has(struct bfd_step st, enum bfd_action a)
{
	return memchr(st.action, a, st.cnt) != NULL;
}

static void
test_bfd_fsm_check_cell(unsigned s, unsigned e, struct bfd_step st)
{
	bool leaves = s == BFD_UP && st.next != BFD_UP;
	bool other = e == BFD_EV_RX_ADMIN_DOWN || e == BFD_EV_DISABLE;

	if (st.next != s) /* I2 */
		assert_true(test_bfd_fsm_has(st, BFD_ACT_SEND));
	assert_int_equal(
	    test_bfd_fsm_has(st, BFD_ACT_NOTIFY_UP), s != BFD_UP && st.next == BFD_UP);
	assert_int_equal(
	    test_bfd_fsm_has(st, BFD_ACT_NOTIFY_DOWN), leaves && !other); /* I3 */
	assert_int_equal(test_bfd_fsm_has(st, BFD_ACT_NOTIFY_ADMIN), leaves && other);
	/* RFC 5880, 6.8.1: no packet for a detection time, and it isn't known any more */
	if (e == BFD_EV_EXPIRE && s != BFD_ADMIN_DOWN)
		assert_true(test_bfd_fsm_has(st, BFD_ACT_FORGET));
	/* only an operator takes it out of AdminDown, and into it */
	if (s == BFD_ADMIN_DOWN)
		assert_int_equal(st.next, e == BFD_EV_ENABLE ? BFD_DOWN : BFD_ADMIN_DOWN);
	else
		assert_int_equal(st.next == BFD_ADMIN_DOWN, e == BFD_EV_DISABLE);
}

static void
test_every_cell(void **state)
{
	(void)state;
	for (unsigned s = 0; s < BFD_STATE_CNT; s++)
		for (unsigned e = 0; e < BFD_EV_CNT; e++)
			test_bfd_fsm_check_cell(s, e, bfd_fsm_step(s, e));
}

/* RFC 5880, 6.8.6, in its own words. */
static unsigned
by_the_rfc(unsigned s, unsigned received)
{
	if (s == BFD_ADMIN_DOWN)
		return s;
	if (received == BFD_ADMIN_DOWN)
		return BFD_DOWN;
	if (s == BFD_DOWN)
		return received == BFD_DOWN   ? BFD_INIT
		       : received == BFD_INIT ? BFD_UP
					      : s;
	if (s == BFD_INIT)
		return received == BFD_INIT || received == BFD_UP ? BFD_UP : s;
	return received == BFD_DOWN ? BFD_DOWN : s;
}

static void
test_received(void **state)
{
	(void)state;
	for (unsigned s = 0; s < BFD_STATE_CNT; s++)
		for (unsigned r = 0; r < BFD_STATE_CNT; r++)
			assert_int_equal(
			    bfd_fsm_step(s, bfd_rx_event(r)).next, by_the_rfc(s, r));
}

/* Two machines hear each other's packets in turn: from whatever states they begin in,
 * they come up, unless a session was disabled. */
static void
test_two(void **state)
{
	(void)state;
	for (unsigned a0 = 0; a0 < BFD_STATE_CNT; a0++)
		for (unsigned b0 = 0; b0 < BFD_STATE_CNT; b0++) {
			unsigned a = a0, b = b0;

			for (unsigned i = 0; i < 8; i++) {
				b = bfd_fsm_step(b, bfd_rx_event(a)).next;
				a = bfd_fsm_step(a, bfd_rx_event(b)).next;
			}
			if (a0 == BFD_ADMIN_DOWN || b0 == BFD_ADMIN_DOWN)
				assert_true(a != BFD_UP && b != BFD_UP);
			else
				assert_true(a == BFD_UP && b == BFD_UP);
		}
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
		cmocka_unit_test(test_received),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_doc),
	};

	doc = (struct fsm_doc){ "<!-- bfd fsm: begin -->", "<!-- bfd fsm: end -->",
		test_bfd_fsm_print_table, "" };
	if (fsm_doc_args(&doc, argc, argv))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
