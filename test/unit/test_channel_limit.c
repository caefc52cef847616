/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits that are crossed again and again: what of it is said, and when. */
#include "nest/channel/import/channel_limit.c"
#include "test/lib/spine_rig.h"

#define ROUNDS 20

static char path[64];

static void
test_channel_limit_hear(void)
{
	struct log_sink sink = {
		.target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path
	};
	const char *bad;

	log_start();
	assert_int_equal(log_configure(&sink, 1, &time_iso_long, &bad), 0);
}

/* heard - lines with @what since the last call. */
static unsigned
test_channel_limit_heard(const char *what)
{
	char line[1100];
	unsigned cnt = 0;
	FILE *f;

	log_stop();
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		cnt += strstr(line, what) != NULL;
	fclose(f);
	unlink(path);
	test_channel_limit_hear();
	return cnt;
}

static int
test_channel_limit_set_up(void **state)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/tern-limit-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	test_channel_limit_hear();
	return rig_start(state);
}

static int
test_channel_limit_tear_down(void **state)
{
	int rc = rig_finish(state);

	log_stop();
	unlink(path);
	return rc;
}

/* flap - peer 0 goes from two routes to four and back. */
static void
test_channel_limit_flap(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		rig_announce(0, 2, 2, 9, 1);
		rig_in(&rig.peer[0]->p.worker, rig_nothing, NULL);
		rig_export(1);
		rig_in(&rig.peer[1]->p.worker, rig_nothing, NULL);
		rig_withdraw(0, 2, 2);
		rig_export(1);
	}
}

/* What a peer can do as often as it likes is said once. */
static void
test_flaps(void **state)
{
	static const struct conf_limit l[] = { { 3, LIMIT_WARN }, { 3, LIMIT_BLOCK } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(l); i++) {
		rig.cf_chan[0].limit.import = l[i];
		rig.cf_chan[0].limit.receive = (struct conf_limit){ 3, LIMIT_WARN };
		rig.cf_chan[1].limit.export = l[i];
		spine_rig_up(0);
		spine_rig_up(1);
		rig_announce(0, 0, 2, 9, 1);
		test_channel_limit_flap(ROUNDS);
		/* of the receive limit, which stays as it was, nothing a second time */
		assert_int_equal(test_channel_limit_heard(" limit (3), action: "), 3 - i);
		spine_rig_down(0);
		spine_rig_down(1);
	}
}

static void
new_limit(void *arg)
{
	channel_reconf(((struct rig_peer *)arg)->ch, CONF_CH_LIMIT, false);
}

static void
time_is_up(void *arg)
{
	struct limit_said *s = arg;

	timer_cancel(&s->timer);
	channel_limit_say_more(&s->timer);
}

/* How often it was left out is said later, and after a quiet time it is said at once
 * again. Of that the table posts two messages. */
static void
test_said_later(void **state)
{
	struct rig_peer *pe = rig.peer[0];
	struct limit_said *s = &pe->ch->log.limit[LIMIT_IMPORT];

	(void)state;
	rig.cf_chan[0].limit.import = (struct conf_limit){ 3, LIMIT_WARN };
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 2, 9, 1);
	test_channel_limit_flap(ROUNDS);
	rig_in(&pe->p.worker, time_is_up, s);
	assert_int_equal(test_channel_limit_heard(
			     "hit route import limit (3) 19 more times within 60 s"),
	    1);
	test_channel_limit_flap(1);
	rig_in(&pe->p.worker, time_is_up, s);
	assert_int_equal(test_channel_limit_heard(
			     "hit route import limit (3) 1 more time within 60 s"),
	    1);
	assert_int_equal(pe->ch->ts.limit.count[LIMIT_IMPORT].posted, 1);
	rig_in(&pe->p.worker, time_is_up, s); /* quiet */
	assert_int_equal(test_channel_limit_heard(" limit "), 0);
	test_channel_limit_flap(2);
	assert_int_equal(test_channel_limit_heard(" limit "), 1);
	assert_int_equal(pe->ch->ts.limit.count[LIMIT_IMPORT].posted, 2);
	rig.cf_chan[0].limit.import.action = LIMIT_BLOCK;
	rig_in(&pe->p.worker, new_limit, pe);
	rig_settle();
	test_channel_limit_flap(2);
	assert_int_equal(
	    test_channel_limit_heard("hits route import limit (3), action: block"), 1);
	rig_in(&pe->p.worker, time_is_up, s);
	assert_int_equal(
	    test_channel_limit_heard("hit route import limit (3) 2 more times"), 1);
}

/* A limit that closes the session does so each time, and says it. */
static void
test_acts(void **state)
{
	struct rig_peer *pe = rig.peer[0];

	(void)state;
	rig.cf_chan[0].limit.import = (struct conf_limit){ 3, LIMIT_RESTART };
	for (unsigned i = 1; i <= 3; i++) {
		spine_rig_up(0);
		rig_announce(0, 0, 5, 9, 1);
		rig_in(&pe->p.worker, rig_nothing, NULL);
		assert_int_equal(pe->limit_cnt, i);
		assert_int_equal(test_channel_limit_heard(
				     "hits route import limit (3), action: restart"),
		    1);
		spine_rig_down(0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    test_flaps, test_channel_limit_set_up, test_channel_limit_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_said_later, test_channel_limit_set_up, test_channel_limit_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_acts, test_channel_limit_set_up, test_channel_limit_tear_down),
};

UNIT_MAIN(tests)
