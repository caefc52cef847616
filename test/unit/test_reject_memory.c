/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refused routes that are remembered, against a plain list of them. */
#include "nest/channel/import/reject_memory.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdio.h>

#define NETS   50
#define RIDS   3
#define MODEL  (NETS * RIDS)
#define ROUNDS 20000

struct said {
	uint32_t net, rid, line;
};

/* the oldest first */
static struct said model[MODEL];
static uint32_t model_cnt;

static struct nlri
test_reject_memory_nth(uint32_t n)
{
	return (struct nlri){ .word = { 0x0a000000 + (n << 16) }, .head = 16 };
}

static void
test_reject_memory_model_drop(uint32_t at)
{
	memmove(&model[at], &model[at + 1], (--model_cnt - at) * sizeof(model[0]));
}

static void
model_forget(uint32_t net, uint32_t rid)
{
	for (uint32_t i = 0; i < model_cnt; i++)
		if (model[i].net == net && model[i].rid == rid) {
			test_reject_memory_model_drop(i);
			return;
		}
}

static void
note_both(struct reject_memory *m, uint32_t max, const struct said *s)
{
	struct nlri n = test_reject_memory_nth(s->net);
	char said[8] = "";
	struct reject_at at = { .reason = REASON_IMPORT_FILTER,
		.filter = s->line % 5 ? "f" : NULL,
		.file = s->line % 7 ? "file" : NULL,
		.line = s->line,
		.said = said };

	if (s->line % 3)
		snprintf(said, sizeof(said), "%u.%u", s->net, s->rid);

	reject_note(m, max, &n, s->rid, &at);
	model_forget(s->net, s->rid);
	while (model_cnt && model_cnt >= max)
		test_reject_memory_model_drop(0);
	if (max)
		model[model_cnt++] = *s;
}

static void
test_reject_memory_same_place(struct reject_at at, const struct said *s)
{
	char said[8];

	snprintf(said, sizeof(said), "%u.%u", s->net, s->rid);
	assert_int_equal(at.reason, REASON_IMPORT_FILTER);
	assert_int_equal(at.line, s->line);
	assert_int_equal(at.file != NULL, s->line % 7 != 0);
	assert_int_equal(at.filter != NULL, s->line % 5 != 0);
	assert_int_equal(at.said != NULL, s->line % 3 != 0);
	assert_true(!at.said || !strcmp(at.said, said));
}

static void
test_reject_memory_same(const struct reject_memory *m)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < model_cnt; i++) {
		struct nlri n = test_reject_memory_nth(model[i].net);
		const struct reject *r = NULL;

		while ((r = reject_next(m, &n, r)) && reject_rid(r) != model[i].rid)
			;
		assert_non_null(r);
		assert_true(reject_has_len(m, n.head & 0xff));
		test_reject_memory_same_place(reject_where(r), &model[i]);
	}
	for (uint32_t i = 0; i < NETS; i++) {
		struct nlri n = test_reject_memory_nth(i);
		const struct reject *r = NULL;

		while ((r = reject_next(m, &n, r)))
			cnt++;
	}
	assert_int_equal(cnt, model_cnt);
	assert_int_equal(reject_cnt(m), model_cnt);
	assert_false(reject_has_len(m, 33));
	assert_false(reject_has_len(m, UINT32_MAX));
}

static void
test_random(void **state)
{
	struct seed s = seed_start("test_reject_memory");
	struct reject_memory *m = reject_memory_new(NLRI_IP4);
	uint32_t max = 60;

	(void)state;
	rcu_join();
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct said x = { seed_below(&s, NETS), seed_below(&s, RIDS),
			1 + seed_below(&s, 20) };
		struct nlri n = test_reject_memory_nth(x.net);

		switch (seed_below(&s, 200)) {
		case 0:
			reject_clear(m);
			model_cnt = 0;
			break;
		case 1:
			max = seed_below(&s, 100);
			break;
		default:
			if (seed_below(&s, 4)) {
				note_both(m, max, &x);
			} else {
				reject_forget(m, &n, x.rid);
				model_forget(x.net, x.rid);
			}
		}
		if (i % 16 == 0)
			test_reject_memory_same(m);
		rcu_quiesce();
	}
	test_reject_memory_same(m);
	reject_memory_free(m);
	rcu_leave();
	rcu_drain();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
};

UNIT_MAIN(tests)
