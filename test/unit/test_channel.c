/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_channel checks that a notice of a table concerns the incarnation of the session at
 * the time of the notice, and no later incarnation. */
#include "nest/channel/channel.c"
#include "test/lib/spine_rig.h"

static sem_t taken;

static void
say_taken(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	free(m);
	sem_post(&taken);
}

/* wait_table - until the table has had two turns: then it has taken what was on the
 * ring. */
static void
wait_table(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct msg *m = calloc(1, sizeof(*m));

		m->handle = say_taken;
		worker_post(&rig_table()->worker, m);
		while (sem_wait(&taken))
			;
	}
}

/* More routes than are allowed; whether the session is another one when it hears of it
 * says @again. */
struct crossing {
	struct rig_peer *pe;
	bool again;
	struct conf_limit now; /* a configuration has set it meanwhile; max 0: none has */
};

static void
test_channel_cross(void *arg)
{
	struct crossing *c = arg;
	struct rig_route r = { c->pe, 0, 5, 1, 3 };

	rig_do_announce(&r);
	wait_table();
	if (c->again) {
		rig_do_down(c->pe);
		rig_do_up(c->pe);
	}
	if (c->now.max) {
		rig.cf_chan[0].limit.import = c->now;
		channel_reconf(c->pe->ch, CONF_CH_LIMIT, false);
		wait_table();
	}
}

/* A limit is crossed, and before the session hears of it a configuration has another one:
 * that one counts, and what the old one kept out is asked for. */
static void
test_limit_changed(void **state)
{
	static const struct conf_limit now[] = { { 100, LIMIT_DISABLE },
		{ 3, LIMIT_WARN }, { 3, LIMIT_DISABLE }, { 2, LIMIT_RESTART } };
	static const uint32_t acts[] = { 0, 0, 1, 2 }, asks[] = { 1, 1, 0, 0 };
	struct rig_peer *pe = rig.peer[0];

	(void)state;
	sem_init(&taken, 0, 0);
	rig_hush();
	for (unsigned i = 0; i < ARRAY_LEN(now); i++) {
		struct crossing c = { .pe = pe, .now = now[i] };

		rig.cf_chan[0].limit.import = (struct conf_limit){ 3, LIMIT_RESTART };
		pe->limit_cnt = pe->refresh_cnt = 0;
		spine_rig_up(0);
		rig_in(&pe->p.worker, test_channel_cross, &c);
		rig_settle();
		rig_in(&pe->p.worker, rig_nothing, NULL);
		assert_int_equal(pe->limit_cnt, acts[i]);
		assert_int_equal(pe->refresh_cnt, asks[i]);
		spine_rig_down(0);
	}
	log_stop();
	sem_destroy(&taken);
}

static unsigned cmd_cnt;

static void
count_cmd(struct proto *p, struct proto_cmd *cmd)
{
	(void)p;
	(void)cmd;
	cmd_cnt++;
}

struct block {
	struct msg msg;
	sem_t go;
};

static void
handle_block(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	rcu_sleep();
	while (sem_wait(&container_of(m, struct block, msg)->go))
		;
	rcu_wake();
}

/* A session that comes up before its table knows its cursor could read what the table
 * frees: commands wait. */
static void
test_attached_first(void **state)
{
	struct block b = { .msg.handle = handle_block };
	struct rig_peer *late = rig_peer_new(2);

	(void)state;
	sem_init(&b.go, 0, 0);
	rig_class.command = count_cmd;
	cmd_cnt = 0;
	worker_post(&rig_table()->worker, &b.msg);
	rig_peer_launch(late);
	proto_post(&late->p, PROTO_START, PR_NONE, NULL);
	proto_post(&late->p, PROTO_RELOAD, PR_NONE, NULL);
	rig_in(&late->p.worker, rig_nothing, NULL);
	rig_in(&late->p.worker, rig_nothing, NULL);
	assert_int_equal(cmd_cnt, 0);
	assert_false(proto_caught_up(&late->p));
	sem_post(&b.go);
	rig_settle();
	/* the message of the table, that the cursor is known, may still be on its way */
	for (uint64_t until = rig_until(); cmd_cnt < 2 && clock_now_ns() < until;)
		rig_in(&late->p.worker, rig_nothing, NULL);
	assert_int_equal(cmd_cnt, 2);
	assert_true(proto_caught_up(&late->p));
	proto_post(&late->p, PROTO_RELOAD, PR_NONE, NULL);
	rig_in(&late->p.worker, rig_nothing, NULL);
	assert_int_equal(cmd_cnt, 3);
	rig_in(&late->p.worker, rig_do_detach, late);
	rig_class.command = NULL;
	sem_destroy(&b.go);
}

static void
test_limit(void **state)
{
	struct rig_peer *pe = rig.peer[0];
	struct crossing c = { .pe = pe };

	(void)state;
	sem_init(&taken, 0, 0);
	rig_hush();
	rig.cf_chan[0].limit.import = (struct conf_limit){ .action = LIMIT_RESTART,
		.max = 3 };
	spine_rig_up(0);
	rig_in(&pe->p.worker, test_channel_cross, &c);
	rig_settle();
	rig_in(&pe->p.worker, rig_nothing, NULL);
	assert_int_equal(pe->limit_cnt, 1);
	spine_rig_down(0);
	spine_rig_up(0);
	c.again = true;
	rig_in(&pe->p.worker, test_channel_cross, &c);
	rig_settle();
	rig_in(&pe->p.worker, rig_nothing, NULL);
	assert_int_equal(pe->limit_cnt, 1);
	log_stop();
	sem_destroy(&taken);
}

static void
too_slow(void *arg)
{
	struct crossing *c = arg;
	struct reader *r = c->pe->ch->rd;

	reader_ops_of(r)->slow(
	    r, load_relaxed64(&r->cursor.out_pos), reader_ops_of(r)->progress(r), false);
	if (c->again) {
		rig_do_down(c->pe);
		rig_do_up(c->pe);
	}
}

static void
test_slow(void **state)
{
	struct rig_peer *pe = rig.peer[0];
	struct crossing c = { .pe = pe };

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	rig_in(&pe->p.worker, too_slow, &c);
	rig_in(&pe->p.worker, rig_nothing, NULL);
	assert_int_equal(pe->slow_cnt, 0); /* it has room: who is late is us */
	pe->room = 0;
	rig_in(&pe->p.worker, too_slow, &c);
	rig_in(&pe->p.worker, rig_nothing, NULL);
	assert_int_equal(pe->slow_cnt, 1);
	rig_announce(1, 0, 10, 1, 3);
	spine_rig_down(0);
	spine_rig_up(0);
	rig_announce(1, 0, 10, 1, 4); /* the journal goes on */
	c.again = true;
	rig_in(&pe->p.worker, too_slow, &c);
	rig_in(&pe->p.worker, rig_nothing, NULL);
	assert_int_equal(pe->slow_cnt, 1);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_attached_first),
	RIG_TEST(test_limit),
	RIG_TEST(test_limit_changed),
	RIG_TEST(test_slow),
};

UNIT_MAIN(tests)
