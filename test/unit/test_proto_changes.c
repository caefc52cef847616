/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a member's changes: routes as the difference of counters, the pace of
 * entries, bounds, and readers. One thread with a clock of its own; the list gets one
 * channel and one timer. */
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "sysdep/loop/loop.h"
#include "test/lib/unit.h"

struct channel {
	struct channel_stats st;
	uint32_t queued;
};

static uint64_t now_ns;
static uint64_t fires_ns; /* of the timer; 0: not running */
static unsigned chunk_cnt; /* chunks freed */
static struct channel chan;

static bool
test_changes_timer_active(const struct timer *t)
{
	(void)t;
	return fires_ns != 0;
}

static void
test_changes_timer_set(struct timer *t, uint64_t at_ns)
{
	(void)t;
	fires_ns = at_ns;
}

static void
test_changes_free_later(struct rcu_node *n, void (*fn)(struct rcu_node *n))
{
	chunk_cnt++;
	fn(n);
}

static const struct channel_stats *
test_changes_stats(const struct channel *ch)
{
	return &ch->st;
}

#define loop_now_ns(w)        now_ns
#define clock_now_ns()        now_ns
#define timer_active(t)       test_changes_timer_active(t)
#define timer_init(t, w, fn)  ((void)(t), (void)(w), fires_ns = 0)
#define timer_set(t, at)      test_changes_timer_set(t, at)
#define rcu_free_later(n, fn) test_changes_free_later(n, fn)
#define channel_next(ch)      NULL
#define channel_family(ch)    FAM_IP6
#define channel_queued(ch)    ((ch)->queued)
#define channel_stats_get(ch) test_changes_stats(ch)
#include "nest/channel/instance/proto_changes.c"

static bool
test_changes_member(const struct proto *p, struct proto_member *out)
{
	*out = (struct proto_member){ .as = load_relaxed32(&p->orders.held) };
	return true;
}

static const struct proto_class class = { .member.describe = test_changes_member };
static struct proto proto = { .cls = &class };
static struct proto_changes *list;

static int
test_changes_set_up(void **state)
{
	(void)state;
	now_ns = 1000 * NS_PER_S;
	fires_ns = 0;
	chunk_cnt = 0;
	memset(&chan, 0, sizeof(chan));
	store_relaxed_ptr(&proto.channels, &chan);
	list = proto_changes_new(&proto);
	return 0;
}

static int
test_changes_tear_down(void **state)
{
	(void)state;
	proto_changes_free(list);
	return 0;
}

/* test_changes_routes - the counters of the table are these. */
static void
test_changes_routes(uint64_t imported, uint64_t filtered, uint64_t withdrawn)
{
	counter64_set(&chan.st.in.imported, imported);
	counter64_set(&chan.st.in.filtered, filtered);
	counter64_set(&chan.st.in.imp_wd_accepted, withdrawn);
}

/* test_changes_wait - the timer fires. */
static void
test_changes_wait(void)
{
	assert_true(fires_ns > now_ns);
	now_ns = fires_ns;
	fires_ns = 0;
	changes_fire(&list->soon);
}

/* test_changes_last - the newest entry, which is the @cnt-th. */
static const struct proto_change *
test_changes_last(uint64_t cnt)
{
	const struct proto_change *e;
	uint64_t nr = cnt, next = cnt + 1;

	e = proto_changes_get(list, &nr);
	assert_non_null(e);
	assert_int_equal(nr, cnt);
	assert_null(proto_changes_get(list, &next));
	return e;
}

static void
test_changes_is(uint64_t cnt, uint32_t gained, uint32_t lost)
{
	const struct proto_change *e = test_changes_last(cnt);

	assert_int_equal(e->kind, CHANGE_ROUTES);
	assert_int_equal(e->what, 1u << FAM_IP6);
	assert_int_equal(e->routes[FAM_IP6].gained, gained);
	assert_int_equal(e->routes[FAM_IP6].lost, lost);
	assert_int_equal(
	    e->routes[FAM_IP6].accepted, counter64_get(&chan.st.in.imported));
	assert_int_equal(
	    e->routes[FAM_IP6].filtered, counter64_get(&chan.st.in.filtered));
	assert_int_equal(e->at_ns, now_ns);
}

static void
test_changes_counts(void **state)
{
	(void)state;
	proto_changes_await(list);
	assert_int_equal(fires_ns, now_ns + NS_PER_S);
	test_changes_routes(10, 2, 0);
	test_changes_wait();
	test_changes_is(1, 10, 0);
	assert_int_equal(fires_ns, 0);
	proto_changes_await(list);
	test_changes_routes(8, 2, 3); /* one new, three withdrawn */
	test_changes_wait();
	test_changes_is(2, 1, 3);
	proto_changes_await(list);
	test_changes_routes(8, 2, 7); /* four came back */
	test_changes_wait();
	test_changes_is(3, 4, 4);
	proto_changes_await(list);
	test_changes_routes(3, 7, 7); /* another policy */
	test_changes_wait();
	test_changes_is(4, 0, 5);
	proto_changes_await(list);
	test_changes_routes(0, 0, 7); /* the session ends */
	test_changes_wait();
	test_changes_is(5, 0, 3);
	proto_changes_await(list);
	test_changes_routes(5, 0, 2); /* a new session counts anew */
	test_changes_wait();
	test_changes_is(6, 7, 2);
	proto_changes_await(list);
	test_changes_wait(); /* the same routes again */
	test_changes_last(6);
}

static void
test_changes_unread(void **state)
{
	(void)state;
	chan.queued = 1;
	proto_changes_await(list);
	test_changes_wait();
	test_changes_routes(1, 0, 0);
	chan.queued = 0;
	test_changes_wait();
	test_changes_is(1, 1, 0);
	assert_int_equal(fires_ns, 0);
}

static void
test_changes_turns(void **state)
{
	struct proto_member m = { .cause = MEMBER_THEM };
	const struct proto_change *e;
	uint64_t nr = 0;

	(void)state;
	memset(m.text, 'x', 100);
	memcpy(m.text + CHANGE_TEXT - 2, "\xc3\xa4", 2); /* does not fit */
	assert_null(proto_changes_get(list, &nr));
	proto_changes_state(list, true, &m, 0);
	assert_int_equal(test_changes_last(1)->kind, CHANGE_UP);
	fires_ns = 0;
	proto_changes_await(list);
	test_changes_routes(4, 0, 0);
	now_ns += NS_PER_S / 2;
	/* records of the last second may belong to the end */
	proto_changes_state(list, false, &m, 7200 * NS_PER_S);
	e = test_changes_last(2);
	assert_int_equal(e->kind, CHANGE_DOWN);
	assert_int_equal(e->side, MEMBER_THEM);
	assert_int_equal(e->up_s, 7200);
	assert_int_equal(strlen(e->text), CHANGE_TEXT - 2);
	assert_int_equal(strspn(e->text, "x"), CHANGE_TEXT - 2);
	test_changes_wait();
	test_changes_is(3, 4, 0);
	proto_changes_await(list);
	test_changes_routes(5, 0, 0);
	now_ns += 2 * NS_PER_S;
	proto_changes_reload(list, CHANGE_IMPORT | CHANGE_PARTIAL);
	assert_int_equal(test_changes_last(5)->what, CHANGE_IMPORT | CHANGE_PARTIAL);
	nr = 4;
	assert_int_equal(proto_changes_get(list, &nr)->kind, CHANGE_ROUTES);
	assert_int_equal(proto_changes_get(list, &nr)->span_ms, 2000);
}

/* Losses are counted by hour for 7 days, beyond the bound of entries. */
static void
test_changes_losses(void **state)
{
	const uint64_t hour = 3600 * NS_PER_S;
	struct proto_member m = { .cause = MEMBER_THEM };
	uint64_t begin_ns = 10 * hour + 1;

	(void)state;
	assert_int_equal(proto_changes_losses(NULL, now_ns), 0);
	assert_int_equal(proto_changes_losses(list, now_ns), 0);
	now_ns = begin_ns;
	for (unsigned i = 0; i < CHANGES_LOSS_MAX + 45; i++)
		proto_changes_state(list, false, &m, 0);
	assert_int_equal(proto_changes_losses(list, now_ns), CHANGES_LOSS_MAX);
	assert_int_equal(proto_changes_losses(list, now_ns + hour - 2), CHANGES_LOSS_MAX);
	assert_int_equal(proto_changes_losses(list, now_ns + hour - 1), 0);
	assert_int_equal(proto_changes_losses(list, now_ns - 2), 0);
	for (unsigned h = 1; h < CHANGES_LOSS_HOURS; h++) {
		now_ns = begin_ns + h * hour;
		for (unsigned i = 0; i < h % 3; i++)
			proto_changes_state(list, false, &m, 0);
	}
	for (unsigned h = 1; h < CHANGES_LOSS_HOURS; h++)
		assert_int_equal(proto_changes_losses(list, begin_ns + h * hour), h % 3);
	assert_int_equal(proto_changes_losses(list, begin_ns), CHANGES_LOSS_MAX);
	/* an hour takes the place of the hour a week ago */
	now_ns = begin_ns + CHANGES_LOSS_HOURS * hour;
	assert_int_equal(proto_changes_losses(list, now_ns), 0);
	proto_changes_state(list, true, &m, 0);
	assert_int_equal(proto_changes_losses(list, now_ns), 0);
	proto_changes_state(list, false, &m, 0);
	assert_int_equal(proto_changes_losses(list, now_ns), 1);
	assert_int_equal(proto_changes_losses(list, begin_ns), 0);
}

/* Routes change without end for a day: the first entries are a second apart, and all
 * entries of the day have room. */
static void
test_changes_pace(void **state)
{
	uint64_t begin_ns = now_ns, cnt = 0, nr;

	(void)state;
	while (now_ns < begin_ns + CHANGES_AGE_NS) {
		proto_changes_await(list);
		test_changes_routes(++cnt, 0, 0);
		if (cnt <= CHANGES_BURST)
			assert_int_equal(fires_ns, now_ns + NS_PER_S);
		test_changes_wait();
	}
	assert_true(cnt > CHANGES_BURST + 600);
	assert_true(cnt < CHANGES_MIN);
	assert_int_equal(proto_changes_lost_ns(list), 0);
	nr = 0;
	assert_non_null(proto_changes_get(list, &nr));
	assert_int_equal(nr, 1);
	/* after a quiet day a burst is exact again */
	now_ns += CHANGES_AGE_NS;
	proto_changes_await(list);
	assert_int_equal(fires_ns, now_ns + NS_PER_S);
}

static void
test_changes_bounds(void **state)
{
	struct proto_member m = { 0 };
	uint64_t nr, first;

	(void)state;
	for (unsigned i = 1; i <= 5000; i++) {
		now_ns += NS_PER_S;
		proto_changes_state(list, i & 1, &m, 0);
		nr = 0;
		assert_non_null(proto_changes_get(list, &nr));
		assert_true(i - nr + 1 <= 1024);
		assert_true(nr == 1 || i - nr + 1 >= CHANGES_MIN);
	}
	first = nr;
	assert_int_equal(proto_changes_lost_ns(list), (1000 + first - 1) * NS_PER_S);
	assert_int_equal(proto_changes_begin_ns(list), 1000 * NS_PER_S);
	/* the list in order */
	for (; nr <= 5000; nr++) {
		uint64_t at = nr;
		const struct proto_change *e = proto_changes_get(list, &at);

		assert_int_equal(at, nr);
		assert_int_equal(e->kind, nr & 1 ? CHANGE_UP : CHANGE_DOWN);
		assert_int_equal(e->at_ns, (1000 + nr) * NS_PER_S);
	}
	/* a day later all of it is old, up to the last chunk */
	now_ns += CHANGES_AGE_NS;
	proto_changes_state(list, true, &m, 0);
	nr = 0;
	assert_non_null(proto_changes_get(list, &nr));
	assert_true(5001 - nr < EVENTS_CHUNK_MAX);
}

/* test_changes_successor - an instance for the AS @as succeeds the instance of `list`. */
static void
test_changes_successor(struct proto *to, uint32_t as)
{
	*to = (struct proto){ .cls = &class };
	store_relaxed32(&to->orders.held, as);
	to->changes = proto_changes_new(to);
	proto.changes = list;
	proto.end.changes_moved = false;
	proto_changes_move(to, &proto);
}

/* A successor for the same AS continues the list, and reports routes that did not come
 * back. */
static void
test_changes_moves(void **state)
{
	struct proto_member m = { 0 };
	struct proto to;

	(void)state;
	store_relaxed32(&proto.orders.held, 65001);
	proto_changes_await(list);
	test_changes_routes(10, 0, 0);
	test_changes_wait();
	proto_changes_state(list, false, &m, 0);
	test_changes_successor(&to, 65001);
	assert_true(proto.end.changes_moved);
	assert_ptr_equal(to.changes, list);
	assert_int_equal(fires_ns, 0);
	store_relaxed_ptr(&to.channels, &chan);
	test_changes_routes(0, 0, 0);
	proto_changes_resume(list);
	test_changes_wait();
	test_changes_is(3, 0, 10);
	proto_changes_resume(list);
	assert_int_equal(fires_ns, 0);
	/* a successor without a channel of the family */
	proto_changes_await(list);
	test_changes_routes(4, 0, 0);
	test_changes_wait();
	store_relaxed_ptr(&to.channels, NULL);
	proto_changes_await(list);
	test_changes_routes(0, 0, 0);
	test_changes_wait();
	test_changes_is(5, 0, 4);
	list->proto = &proto;
	test_changes_successor(&to, 65002);
	assert_false(proto.end.changes_moved);
	assert_ptr_not_equal(to.changes, list);
	proto_changes_free(to.changes);
	proto_changes_resume(NULL);
}

static void
test_changes_none(void **state)
{
	static const struct proto_class other = { 0 };
	struct proto p = { .cls = &other };
	struct proto_member m = { 0 };
	uint64_t nr = 0;

	(void)state;
	assert_null(proto_changes_new(&p));
	proto_changes_await(NULL);
	proto_changes_state(NULL, true, &m, 0);
	proto_changes_reload(NULL, CHANGE_IMPORT);
	assert_null(proto_changes_get(NULL, &nr));
	proto_changes_free(NULL);
}

#define CHANGES_TEST(fn)                                                                 \
	cmocka_unit_test_setup_teardown(fn, test_changes_set_up, test_changes_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CHANGES_TEST(test_changes_counts),
		CHANGES_TEST(test_changes_unread),
		CHANGES_TEST(test_changes_turns),
		CHANGES_TEST(test_changes_losses),
		CHANGES_TEST(test_changes_pace),
		CHANGES_TEST(test_changes_bounds),
		CHANGES_TEST(test_changes_moves),
		CHANGES_TEST(test_changes_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
