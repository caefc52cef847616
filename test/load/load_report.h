/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a run: a line of progress, the first differences, one JSON object at the
 * end. */
#ifndef TERN_TEST_LOAD_REPORT_H
#define TERN_TEST_LOAD_REPORT_H

#include "test/load/load_step.h"

/* load_report_progress - on stderr; redrawn on a terminal, now and then otherwise. */
void load_report_progress(struct load_run *r);
/* load_report_end_progress - leave the cursor on an empty line. */
void load_report_end_progress(struct load_run *r);
/* load_report_differences - name the first of them on stderr. @cnt: by kind.
 * Returns: whether there is none. */
bool load_report_differences(struct load_run *r, uint64_t cnt[DIFF_CNT]);
/* load_report_json - on stdout, one line. */
void load_report_json(struct load_run *r, bool ok, const uint64_t cnt[DIFF_CNT]);

#endif
