/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: what a member changes. The remedy follows from the report as JSON, as
 * in ternhttp, so that text, JSON, the API and the pages have the same words.
 *
 * In the session's loop, under RCU. Tested by test/net/test_why.py. */
#include "lib/json/json.h"
#include "lib/json/jview.h"
#include "lib/base/strbuf.h"
#include "lib/wire/remedy.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/core/reply.h"

struct reply *
why_remedy_begin(struct why_remedy *m, const char *type)
{
	strbuf_init(&m->text);
	json_init(&m->json, &m->text);
	json_open(&m->json, NULL);
	json_str(&m->json, "type", type);
	m->reply = (struct reply){ .json = &m->json };
	return &m->reply;
}

void
why_remedy_end(struct why_remedy *m)
{
	struct strbuf todo;

	json_close(&m->json);
	strbuf_init(&todo);
	remedy_add(&todo, jview_of(m->text.s, m->text.len));
	strbuf_reset(&m->text);
	strbuf_add(&m->text, todo.s, todo.len);
	strbuf_fini(&todo);
}

void
why_remedy_reply(struct why_remedy *m, struct reply *r)
{
	reply_fill(r, "remedy", "\t\tto do: %s\n", m->text.s);
	strbuf_fini(&m->text);
}
