/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shares of the log's queue. No thread takes lines here. */
#include "sysdep/log/log.c"
#include "test/lib/unit.h"

/* A flood of other lines loses no audit line, and lost audit lines are counted. */
static void
test_audit(void **arg)
{
	uint64_t drop_cnt, audit_cnt;
	struct log_lost before, lost;
	unsigned audits = 0, infos = 0;
	struct item *i, *next;

	(void)arg;
	log_lost(&before);
	store_relaxed32(&state.classes, LOG_CLASS_ALL | 1u << LOG_C_AUDIT);
	store_release32(&state.runs, 1);
	for (unsigned k = 0; k < QUEUE_MAX + 10; k++)
		log_msg(LOG_C_INFO, "info %u", k);
	for (unsigned k = 0; k < AUDIT_MAX; k++)
		log_msg(LOG_C_AUDIT, "audit %u", k);
	log_lost(&lost);
	assert_int_equal(lost.audit_lines, before.audit_lines);
	for (unsigned k = 0; k < 7; k++)
		log_msg(LOG_C_AUDIT, "audit too much");
	log_lost(&lost);
	assert_int_equal(lost.audit_lines - before.audit_lines, 7);
	for (i = log_take_all(&drop_cnt, &audit_cnt); i; i = next) {
		next = i->next;
		audits += i->class == LOG_C_AUDIT;
		infos += i->class == LOG_C_INFO;
		assert_null(strstr(i->text, "too much"));
		mem_free(MEM_OTHER, i);
	}
	assert_int_equal(audits, AUDIT_MAX);
	assert_int_equal(infos, QUEUE_MAX);
	assert_int_equal(drop_cnt, 17);
	assert_int_equal(audit_cnt, 7);
	/* lines that the thread has taken leave room */
	log_msg(LOG_C_AUDIT, "audit");
	log_lost(&lost);
	assert_int_equal(lost.audit_lines - before.audit_lines, 7);
	mem_free(MEM_OTHER, log_take_all(&drop_cnt, &audit_cnt));
	store_relaxed32(&state.runs, 0);
	store_relaxed32(&state.classes, LOG_CLASS_ALL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_audit),
};

UNIT_MAIN(tests)
