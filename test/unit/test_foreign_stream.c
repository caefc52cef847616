/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a stream: whole, in order, only while the owner is ready; each end of a
 * stream. A message is its length in one octet and so many octets in all; 0 is none. */
#include "nest/foreign/foreign_stream.h"

#include "nest/foreign/foreign_update.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_io.h"
#include "test/lib/fd_pair.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <unistd.h>

struct end {
	struct foreign_stream s;
	struct timer timer;
	const uint8_t *text; /* what the other side sends, then it closes */
	size_t len;
	uint8_t got[64];
	unsigned got_len, took, asked;
	unsigned pauses; /* so often the owner is not ready, once after each message */
	int refuse; /* take's answer to the message that begins with 2 */
	int err; /* of ended */
	uint32_t left;
};

static struct end *
end_of(struct foreign_stream *s)
{
	return container_of(s, struct end, s);
}

static int64_t
test_foreign_stream_frame(struct foreign_stream *s, const uint8_t *p, uint32_t len)
{
	(void)s;
	assert_true(len > 0);
	return *p ? *p : -EPROTO;
}

static bool
test_foreign_stream_ready(struct foreign_stream *s)
{
	struct end *e = end_of(s);

	return e->asked++ % 2 == 0 || e->took >= e->pauses;
}

static int
test_foreign_stream_take(struct foreign_stream *s, const uint8_t *p, uint32_t len)
{
	static const uint8_t none[FOREIGN_SLACK];
	struct end *e = end_of(s);

	assert_int_equal(*p, len);
	memcpy(e->got + e->got_len, p, len);
	e->got_len += len;
	e->took++;
	if (e->got_len == e->len) /* what is behind the last can be read */
		assert_memory_equal(p + len, none, sizeof(none));
	return len == 2 ? e->refuse : 0;
}

static void
test_foreign_stream_ended(struct foreign_stream *s, int err)
{
	struct end *e = end_of(s);

	e->err = err;
	e->left = foreign_stream_left(s);
	foreign_stream_close(s);
	assert_false(foreign_stream_is_open(s));
	foreign_stream_go_on(s); /* no effect */
	timer_cancel(&e->timer);
	worker_stop(s->sock.worker);
}

static const struct foreign_stream_ops ops = { .frame = test_foreign_stream_frame,
	.ready = test_foreign_stream_ready,
	.take = test_foreign_stream_take,
	.ended = test_foreign_stream_ended };

static void
test_foreign_stream_go_on(struct timer *t)
{
	struct end *e = container_of(t, struct end, timer);

	timer_set(t, loop_now_ns(t->worker) + NS_PER_MS);
	foreign_stream_go_on(&e->s);
}

static void
test_foreign_stream_play(struct scene *sc)
{
	struct end *e = sc->arg;
	int fd[2];

	foreign_stream_init(&e->s, &sc->worker, &ops);
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(write(fd[1], e->text, e->len), e->len);
	close(fd[1]);
	foreign_stream_open(&e->s, os_fd_of(fd[0]));
	timer_init(&e->timer, &sc->worker, test_foreign_stream_go_on);
	timer_set(&e->timer, 0);
}

static void
test_foreign_stream_run(struct end *e, const void *text, size_t len)
{
	e->text = text;
	e->len = len;
	assert_true(scene_run(test_foreign_stream_play, e));
	assert_int_equal(e->s.got, len);
}

static void
test_whole(void **state)
{
	struct end e = { 0 };

	(void)state;
	test_foreign_stream_run(&e, "\1\3ab\2c\1", 7);
	assert_int_equal(e.err, -EPIPE);
	assert_int_equal(e.took, 4);
	assert_int_equal(e.left, 0);
	assert_memory_equal(e.got, "\1\3ab\2c\1", 7);
}

/* A pause after each message loses none, also when the other side has closed already. */
static void
test_pauses(void **state)
{
	struct end e = { .pauses = 100 };

	(void)state;
	test_foreign_stream_run(&e, "\1\3ab\2c\1", 7);
	assert_int_equal(e.err, -EPIPE);
	assert_int_equal(e.took, 4);
	assert_memory_equal(e.got, "\1\3ab\2c\1", 7);
}

static void
test_cut(void **state)
{
	struct end e = { 0 };

	(void)state;
	test_foreign_stream_run(&e, "\1\5ab", 4);
	assert_int_equal(e.err, -EPIPE);
	assert_int_equal(e.took, 1);
	assert_int_equal(e.left, 3);
}

static void
test_no_message(void **state)
{
	struct end e = { 0 };

	(void)state;
	test_foreign_stream_run(&e, "\1\2a\0\1", 5);
	assert_int_equal(e.err, -EPROTO);
	assert_int_equal(e.took, 2);
	assert_int_equal(e.left, 2);
}

static void
test_refused(void **state)
{
	struct end e = { .refuse = -ENOENT };

	(void)state;
	test_foreign_stream_run(&e, "\1\2a\1", 4);
	assert_int_equal(e.err, -ENOENT);
	assert_int_equal(e.took, 2);
}

static void
test_update(void **state)
{
	uint8_t msg[19 + 4 + FOREIGN_SLACK] = { 0 };
	struct foreign_reader r = { 0 };
	struct foreign_update u = { .as4 = true };
	struct bgp_update got;

	(void)state;
	memset(msg, 0xff, 16);
	msg[17] = 23;
	msg[18] = 2;
	assert_false(foreign_update_of(&u, msg, 18));
	assert_false(foreign_update_of(&u, msg, 22));
	assert_true(foreign_update_of(&u, msg, 23));
	assert_int_equal(foreign_update_read(&r, &u, &got).severity, BGP_SEV_NONE);
	assert_int_equal(got.eor, FAM_BIT(FAM_IP4));
	msg[20] = 1; /* withdrawn: one octet more than there is */
	msg[22] = 0;
	u.len = 3;
	assert_int_equal(foreign_update_read(&r, &u, &got).severity, BGP_SEV_RESET);
	msg[18] = 4;
	assert_false(foreign_update_of(&u, msg, 23));
	foreign_reader_fini(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole),
	cmocka_unit_test(test_pauses),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_no_message),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_update),
};

UNIT_MAIN(tests)
