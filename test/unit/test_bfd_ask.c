/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks for BFD sessions: what an asker in a worker of its own is told, whatever becomes
 * of the instances of BFD meanwhile; here the test itself is those. */
#include "nest/bfd/bfd_ask.h"

#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"

#include <sched.h>
#include <time.h>

static struct tern tern;
static const struct tern_view nothing;
static struct proto asker, bfd; /* bfd has ended: nobody is woken */
static struct bfd_ask *ask;
static struct pub32 ups, downs, admins, gones, done;

static void
test_bfd_ask_news(struct bfd_ask *a, enum bfd_news what)
{
	struct pub32 *cnt = what == BFD_NEWS_UP     ? &ups
			    : what == BFD_NEWS_DOWN ? &downs
						    : &admins;

	assert_ptr_equal(a, ask);
	store_release32(cnt, load_relaxed32(cnt) + 1); /* pairs: TEST */
}

static void
test_bfd_ask_gone(struct bfd_ask *a)
{
	assert_ptr_equal(a, ask);
	store_release32(&gones, load_relaxed32(&gones) + 1); /* pairs: TEST */
}

static const struct bfd_ask_ops ops = { .news = test_bfd_ask_news,
	.gone = test_bfd_ask_gone };

/* wait_for - until it is that. */
static void
test_bfd_ask_wait_for(const struct pub32 *p, uint32_t want)
{
	struct wait w = { 0 };

	while (load_acquire32(p) != want) /* pairs: TEST */
		lib_wait_turn(&w, "the number of jobs");
}

struct job {
	struct msg msg;
	void (*fn)(void);
};

static void
do_job(struct worker *w, TAKE struct msg *m)
{
	struct job *j = container_of(m, struct job, msg);

	(void)w;
	j->fn();
	mem_free(MEM_OTHER, j);
	store_release32(&done, 1); /* pairs: TEST */
}

/* in_asker - @fn runs in the asker's worker. */
static void
in_asker(void (*fn)(void))
{
	struct job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->msg.handle = do_job;
	j->fn = fn;
	store_relaxed32(&done, 0);
	worker_post(&asker.worker, &j->msg);
	test_bfd_ask_wait_for(&done, 1);
}

static void
test_bfd_ask_make(void)
{
	struct bfd_place place = { .peer = ip4(0x0a000002), .multihop = true };
	struct bfd_opts o = { .mult = 7 };

	ask = bfd_ask_new(&asker, &ops, NULL, &place, &o);
}

static void
test_bfd_ask_look(void)
{
	bfd_ask_look(ask);
}

static void
let_go(void)
{
	bfd_ask_delete(ask);
}

static void
test_bfd_ask_nobody(void)
{
	assert_null(ask->at);
}

static void
test_bfd_ask_stop(void)
{
	worker_stop(&asker.worker);
}

static struct pub32 held;

/* hold - the asker is busy until `held` is 0. */
static void
test_bfd_ask_hold(void)
{
	while (load_acquire32(&held)) /* pairs: TEST */
		sched_yield();
}

/* while_busy - @fn runs while the asker looks at nothing. */
static void
while_busy(void (*fn)(void))
{
	struct job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->msg.handle = do_job;
	j->fn = test_bfd_ask_hold;
	store_relaxed32(&done, 0);
	store_relaxed32(&held, 1);
	worker_post(&asker.worker, &j->msg);
	fn();
	store_release32(&held, 0); /* pairs: TEST */
	test_bfd_ask_wait_for(&done, 1);
}

static void
test_bfd_ask_ends(void)
{
	bfd_ask_notify(ask, BFD_DOWN, false, true, false);
	bfd_ask_gone(ask);
}

static void
lost_and_ends(void)
{
	bfd_ask_notify(ask, BFD_DOWN, true, false, false);
	bfd_ask_gone(ask);
}

static struct bfd_service *
test_bfd_ask_begin(unsigned takes)
{
	struct bfd_service *s = bfd_service_new(&bfd, takes);

	assert_int_equal(bfd_service_add(&tern, s), 0);
	return s;
}

/* take - the only call that waits. */
static void
test_bfd_ask_take(struct bfd_service *s, enum bfd_call_kind want)
{
	struct bfd_call *c = bfd_service_take(s);

	assert_non_null(c);
	assert_null(bfd_call_next(c));
	assert_int_equal(c->kind, want);
	if (want == BFD_CALL_ASK) {
		assert_int_equal(c->opts->mult, 7);
		bfd_ask_ref(c->ask);
	}
	bfd_call_free(c);
}

static void
test_ask(void **state)
{
	struct bfd_service *s, *deaf;

	(void)state;
	in_asker(test_bfd_ask_make);
	in_asker(test_bfd_ask_nobody); /* there is none */
	deaf = test_bfd_ask_begin(BFD_TAKES_ALL & ~BFD_TAKES_IP4_MULTIHOP);
	in_asker(test_bfd_ask_look);
	in_asker(test_bfd_ask_nobody); /* it doesn't take such */
	s = test_bfd_ask_begin(BFD_TAKES_ALL);
	in_asker(test_bfd_ask_look);
	test_bfd_ask_take(s, BFD_CALL_ASK);
	in_asker(test_bfd_ask_look); /* once is enough */
	assert_null(bfd_service_take(s));

	bfd_ask_notify(ask, BFD_DOWN, false, false, false);
	bfd_ask_notify(ask, BFD_UP, false, false, true);
	test_bfd_ask_wait_for(&ups, 1);
	assert_int_equal(load_relaxed32(&downs), 0);
	/* G2: lost, and back before it looks */
	bfd_ask_notify(ask, BFD_DOWN, true, false, false);
	bfd_ask_notify(ask, BFD_UP, false, false, false);
	test_bfd_ask_wait_for(&ups, 2);
	assert_int_equal(load_relaxed32(&downs), 1);
	bfd_ask_notify(ask, BFD_DOWN, false, true, false);
	test_bfd_ask_wait_for(&admins, 1);
	bfd_ask_notify(ask, BFD_UP, false, false, false);
	test_bfd_ask_wait_for(&ups, 3);

	/* the instance ends: nothing is known of the path */
	bfd_service_remove(&tern, s);
	bfd_ask_gone(ask);
	test_bfd_ask_wait_for(&admins, 2);
	in_asker(test_bfd_ask_nobody);
	assert_int_equal(load_relaxed32(&downs), 1);
	assert_int_equal(load_relaxed32(&gones), 0);

	/* one that ends before it has seen the call */
	s = test_bfd_ask_begin(BFD_TAKES_ALL);
	in_asker(test_bfd_ask_look);
	bfd_service_remove(&tern, s);
	rcu_drain();
	in_asker(test_bfd_ask_nobody);

	/* and one that is left */
	s = test_bfd_ask_begin(BFD_TAKES_ALL);
	in_asker(test_bfd_ask_look);
	test_bfd_ask_take(s, BFD_CALL_ASK);
	in_asker(let_go);
	test_bfd_ask_take(s, BFD_CALL_LEAVE);
	assert_int_equal(load_relaxed32(&gones), 0);
	bfd_ask_gone(ask);
	test_bfd_ask_wait_for(&gones, 1);

	/* one that nobody has goes at once */
	bfd_service_remove(&tern, s);
	in_asker(test_bfd_ask_make);
	in_asker(let_go);
	assert_int_equal(load_relaxed32(&gones), 2);
	bfd_service_remove(&tern, deaf);
}

/* An instance ends with something said that the asker hasn't heard yet: what was lost was
 * lost, and what was lost long ago isn't lost again. */
static void
test_ends(void **state)
{
	struct bfd_service *s = test_bfd_ask_begin(BFD_TAKES_ALL);

	(void)state;
	store_relaxed32(&ups, 0);
	store_relaxed32(&downs, 0);
	store_relaxed32(&admins, 0);
	store_relaxed32(&gones, 0);
	in_asker(test_bfd_ask_make);
	test_bfd_ask_take(s, BFD_CALL_ASK);
	bfd_ask_notify(ask, BFD_UP, false, false, false);
	test_bfd_ask_wait_for(&ups, 1);
	bfd_ask_notify(ask, BFD_DOWN, true, false, false);
	test_bfd_ask_wait_for(&downs, 1);
	bfd_ask_notify(ask, BFD_UP, false, false, false);
	test_bfd_ask_wait_for(&ups, 2);
	while_busy(test_bfd_ask_ends);
	in_asker(test_bfd_ask_look); /* it asks again */
	test_bfd_ask_take(s, BFD_CALL_ASK);
	assert_int_equal(load_relaxed32(&downs), 1);
	assert_int_equal(load_relaxed32(&admins), 1);

	bfd_ask_notify(ask, BFD_UP, false, false, false);
	test_bfd_ask_wait_for(&ups, 3);
	while_busy(lost_and_ends);
	in_asker(test_bfd_ask_look);
	test_bfd_ask_take(s, BFD_CALL_ASK);
	assert_int_equal(load_relaxed32(&downs), 2);
	assert_int_equal(load_relaxed32(&admins), 1);

	in_asker(let_go);
	test_bfd_ask_take(s, BFD_CALL_LEAVE);
	bfd_ask_gone(ask);
	test_bfd_ask_wait_for(&gones, 1);
	bfd_service_remove(&tern, s);
}

static void
test_keys(void **state)
{
	struct bfd_opt_key key[] = {
		{ .id = 1, .send_from_s = 10, .send_to_s = 20, .accept_to_s = 25 },
		{ .id = 2, .send_from_s = 15, .send_to_s = 30, .accept_to_s = 99 },
	};
	struct bfd_opts o = { .has_auth = true, .auth = BFD_AUTH_SHA1, .key_cnt = 2 },
			ours = { .mult = 9, .passive = BFD_NO }, out, *copy;

	(void)state;
	o.key = key;
	assert_null(bfd_opts_key_to_send(&o, 9));
	assert_int_equal(bfd_opts_key_to_send(&o, 10)->id, 1);
	assert_int_equal(bfd_opts_key_to_send(&o, 15)->id, 2);
	assert_int_equal(bfd_opts_key_to_send(&o, 30)->id, 2);
	assert_null(bfd_opts_key_to_send(&o, 31));
	assert_int_equal(bfd_opts_key_by_id(&o, 1, 25)->id, 1);
	assert_null(bfd_opts_key_by_id(&o, 1, 26));
	assert_null(bfd_opts_key_by_id(&o, 3, 15));

	o.passive = BFD_YES;
	o.min_tx_ns = 5;
	bfd_opts_merge(&out, &ours, &o);
	assert_int_equal(out.mult, 9);
	assert_int_equal(out.passive, BFD_NO);
	assert_int_equal(out.min_tx_ns, 5);
	assert_int_equal(out.min_rx_ns, 10000000);
	assert_int_equal(out.auth, BFD_AUTH_SHA1);
	assert_int_equal(out.key_cnt, 2);
	bfd_opts_merge(&out, NULL, NULL);
	assert_int_equal(out.mult, 5);
	assert_int_equal(out.auth, BFD_AUTH_NONE);
	copy = bfd_opts_copy(&o);
	memset(key, 0, sizeof(key));
	assert_int_equal(copy->key[1].id, 2);
	mem_free(MEM_PROTO, copy);
}

int
main(void)
{
	static const struct worker_ops worker_ops = { .start = NULL };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ask),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_keys),
	};
	int bad;

	store_release32(&bfd.end.published, 1); /* pairs: PENDED */
	store_release_ptr(&tern.view, (void *)(uintptr_t)&nothing); /* pairs: TVIEW */
	asker.tern = &tern;
	rcu_join(); /* bfd_service_add reads the view */
	worker_start(&asker.worker, &worker_ops, WORKER_SESSION, "asker");
	bad = cmocka_run_group_tests(tests, NULL, NULL);
	in_asker(test_bfd_ask_stop);
	rcu_leave();
	loop_pool_fini();
	return bad;
}
