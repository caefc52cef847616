/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions of other threads about decisions of a channel. Only files of nest/channel
 * include the header. Loop: any thread under RCU. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_ASK_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_ASK_PRIV_H

#include "filter/filter.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "nest/channel/export/sink.h"

struct channel;

/* the environment of filters that do not write to the log */
extern const struct filter_env channel_quiet_env;

/* export_question_of - a question of another thread about @r. `v` NULL: the session is
 * down. */
struct export_question export_question_of(const struct channel *ch,
    struct filter_thread *ft, struct arena *ar, const struct route_view *r);
/* export_decide_asked - decide about @q, whose `v` is not NULL. The caller ends *@a by
 * export_answer_done. */
void export_decide_asked(const struct export_question *q, struct export_answer *a);

#endif
