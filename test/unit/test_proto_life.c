/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of an instance: each row of the table in proto_life.h, and all sequences of a
 * few events. */
#include "nest/channel/instance/proto_life.c"
#include "test/lib/spine_rig.h"

enum { EVENTS = 10, LENGTH = 4 };

/* The states of the table; CLOSING by its next state. */
enum { DOWN, UP, TO_DOWN, TO_UP, TO_END, LEFT };

/* Calls of the class: up, down, reload, reconf (c), leave. */
static char calls[64];
static bool slow_end; /* `down` leaves work */

static void
life_note(char what)
{
	size_t len = strlen(calls);

	assert_true(len + 1 < sizeof(calls));
	calls[len] = what;
	calls[len + 1] = 0;
}

static void
test_life_up(struct proto *p)
{
	assert_int_equal(p->life.state, LIFE_UP); /* I1 */
	assert_false(p->life.disabled);
	life_note('u');
}

static bool
test_life_down(struct proto *p, const struct proto_cmd *cmd)
{
	(void)cmd;
	assert_int_equal(p->life.state, LIFE_CLOSING); /* I1 */
	life_note('d');
	return !slow_end;
}

static void
test_life_reload(struct proto *p, bool in, bool out)
{
	(void)p;
	assert_true(in && out);
	life_note('r');
}

static void
test_life_reconf(struct proto *p, struct proto_cmd *cmd)
{
	assert_true(proto_life_adopt(p, cmd));
	assert_null(cmd->conf); /* taken */
	life_note('c');
}

static void
test_life_leave(struct proto *p)
{
	assert_int_equal(p->life.state, LIFE_DOWN);
	life_note('l');
}

static const struct proto_life_ops life_ops = {
	.up = test_life_up,
	.down = test_life_down,
	.reload = test_life_reload,
	.reconf = test_life_reconf,
	.leave = test_life_leave,
};

enum test_event {
	EV_START,
	EV_STOP,
	EV_RESTART,
	EV_RELOAD,
	EV_RECONF,
	EV_RECONF_HOLD, /* an operator holds the instance */
	EV_LIMIT,
	EV_WARN, /* a limit with the action warn */
	EV_SLOW,
	EV_CLOSED,
	EV_DELETE, /* the last */
};

/* Expected calls and state, by event and state; NULL: no such event in the state. The
 * class leaves work behind. */
static const struct {
	const char *calls;
	uint8_t state;
} rule[EVENTS + 1][LEFT] = {
	[EV_START] = { { "u", UP }, { "", UP }, { "", TO_UP }, { "", TO_UP } },
	[EV_STOP] = { { "", DOWN }, { "d", TO_DOWN }, { "", TO_DOWN }, { "", TO_DOWN } },
	[EV_RESTART] = { { "u", UP }, { "d", TO_UP }, { "", TO_UP }, { "", TO_UP } },
	[EV_RELOAD] = { { "", DOWN }, { "r", UP }, { "", TO_DOWN }, { "", TO_UP } },
	[EV_RECONF] = { { "cu", UP }, { "c", UP }, { "c", TO_UP }, { "c", TO_UP } },
	[EV_RECONF_HOLD] = { { "c", DOWN }, { "c", UP }, { "c", TO_DOWN },
	    { "c", TO_UP } },
	[EV_LIMIT] = { { "", DOWN }, { "d", TO_DOWN }, { "", TO_DOWN }, { "", TO_DOWN },
	    { "", TO_END } },
	[EV_WARN] = { { "", DOWN }, { "", UP }, { "", TO_DOWN }, { "", TO_UP },
	    { "", TO_END } },
	[EV_SLOW] = { { "", DOWN }, { "d", TO_UP }, { "", TO_DOWN }, { "", TO_UP },
	    { "", TO_END } },
	[EV_CLOSED] = { { NULL, 0 }, { NULL, 0 }, { "", DOWN }, { "u", UP },
	    { "l", LEFT } },
	[EV_DELETE] = { { "l", LEFT }, { "d", TO_END }, { "", TO_END }, { "", TO_END } },
};

static void
test_life_command(struct proto *p, enum proto_cmd_kind kind, bool hold)
{
	struct proto_cmd cmd = { .proto = p,
		.kind = kind,
		.hold = hold,
		.message = kind == PROTO_STOP ? "maintenance" : NULL };

	if (kind == PROTO_RECONF) {
		cmd.conf = config_ref_get(rig.conf);
		cmd.cf = p->cf;
	}
	proto_life_command(p, &cmd);
}

static void
test_life_event(struct rig_peer *pe, enum test_event ev)
{
	static const enum proto_cmd_kind kind[] = { PROTO_START, PROTO_STOP,
		PROTO_RESTART, PROTO_RELOAD, PROTO_RECONF, PROTO_RECONF };

	switch (ev) {
	case EV_LIMIT:
		proto_life_limit(pe->ch, LIMIT_RESTART, 0, 10);
		break;
	case EV_WARN:
		proto_life_limit(pe->ch, LIMIT_WARN, 0, 10);
		break;
	case EV_SLOW:
		proto_life_slow(pe->ch);
		break;
	case EV_CLOSED:
		proto_life_closed(&pe->p);
		break;
	case EV_DELETE:
		test_life_command(&pe->p, PROTO_DELETE, false);
		break;
	default:
		test_life_command(&pe->p, kind[ev], ev == EV_RECONF_HOLD);
		break;
	}
}

/* test_life_finish - add the calls of a class whose `down` is complete at once. */
static unsigned
test_life_finish(char *expect, unsigned state)
{
	if (state < TO_DOWN || state > TO_END)
		return state;
	strcat(expect, rule[EV_CLOSED][state].calls);
	return rule[EV_CLOSED][state].state;
}

static void
test_life_status(const struct proto *p, unsigned state, enum test_event ev)
{
	const struct proto_status *st = proto_status_get(p);
	bool up = state == UP || (state >= TO_DOWN && state <= TO_END);

	assert_int_equal(st->state, up ? PS_UP : PS_DOWN); /* I2 */
	if (state == UP)
		assert_false(st->disabled);
	if (state != DOWN)
		return;
	if (ev == EV_STOP)
		assert_string_equal(st->message, "maintenance");
	if (ev == EV_LIMIT && strchr(calls, 'd'))
		assert_string_equal(st->message, "Route limit exceeded");
	if (ev == EV_STOP || (ev == EV_LIMIT && strchr(calls, 'd')))
		assert_true(st->disabled);
}

/* test_life_step - Returns: false: the event does not occur in the state. */
static bool
test_life_step(struct rig_peer *pe, unsigned *state, enum test_event ev)
{
	char expect[16] = "";

	if (*state == LEFT || !rule[ev][*state].calls)
		return false;
	strcpy(expect, rule[ev][*state].calls);
	*state = rule[ev][*state].state;
	if (!slow_end)
		*state = test_life_finish(expect, *state);
	calls[0] = 0;
	test_life_event(pe, ev);
	assert_string_equal(calls, expect);
	test_life_status(&pe->p, *state, ev);
	return true;
}

/* test_life_sequence - the events @nr, a digit each, then DELETE and the end. */
static void
test_life_sequence(struct rig_peer *pe, unsigned nr)
{
	unsigned state = DOWN;

	pe->p.life.state = LIFE_DOWN;
	pe->p.life.next = LIFE_STAYS;
	for (unsigned i = 0; i < LENGTH; i++, nr /= EVENTS)
		test_life_step(pe, &state, nr % EVENTS);
	assert_true(test_life_step(pe, &state, EV_DELETE));
	for (unsigned ev = EV_LIMIT; ev <= EV_CLOSED; ev++)
		test_life_step(pe, &state, ev);
	assert_int_equal(state, LEFT);
}

static void
test_life_all(void *arg)
{
	unsigned cnt = 1;

	for (unsigned i = 0; i < LENGTH; i++)
		cnt *= EVENTS;
	for (unsigned i = 0; i < cnt; i++)
		test_life_sequence(arg, i);
}

static void
test_life_table(void **state)
{
	struct rig_peer *pe = rig.peer[0];

	(void)state;
	rig_hush(); /* SLOW logs a warning */
	rig.cf_proto[0].revive_after_limit = true;
	rig_class.life = life_ops;
	slow_end = false;
	rig_in(&pe->p.worker, test_life_all, pe);
	slow_end = true;
	rig_in(&pe->p.worker, test_life_all, pe);
	log_stop();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_life_table, rig_start, rig_finish),
};

UNIT_MAIN(tests)
