/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on their way to the control plane and back (control.h). Loop: the asker's,
 * and the control worker's between control_post and done. Tested by
 * test/unit/test_core.c and test_control.c. */
#include "nest/core/control.h"

#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"

#include <bsd/string.h>

struct control_req *
control_req_new(enum control_kind k)
{
	struct control_req *r = mem_zalloc(MEM_OTHER, sizeof(*r));

	r->kind = k;
	r->client.uid = UINT32_MAX;
	return r;
}

void
control_req_free(TAKE struct control_req *r)
{
	for (unsigned i = 0; i < r->answer.cnt; i++)
		mem_free(MEM_OTHER, r->answer.line[i].text);
	mem_free(MEM_OTHER, r->answer.line);
	mem_free(MEM_OTHER, r->pattern);
	mem_free(MEM_OTHER, r->message);
	mem_free(MEM_OTHER, r->path);
	mem_free(MEM_OTHER, r->channel);
	mem_free(MEM_OTHER, r->client.who);
	if (r->override)
		override_fini(r->override);
	mem_free(MEM_CONFIG, r->override);
	ASSERT(!r->conf && !r->pick && !r->preview);
	mem_free(MEM_OTHER, r);
}

const char *
control_req_user(char *text, size_t len, const struct control_req *r)
{
	const char *who = r->client.who ? r->client.who : "signal";
	const char *end = strstr(who, " pid ");

	strlcpy(text, who, len);
	if (end && (size_t)(end - who) < len)
		text[end - who] = 0;
	return text;
}

void
control_answer(struct control_req *r, enum cli_code code, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	r->answer.line = vec_room(MEM_OTHER, r->answer.line, &r->answer.cap,
	    r->answer.cnt + 1, sizeof(*r->answer.line));
	r->answer.line[r->answer.cnt].code = code;
	r->answer.line[r->answer.cnt++].text = strbuf_take(&b);
}

void
control_answer_cut(struct control_req *r, uint32_t cnt)
{
	while (r->answer.cnt > cnt)
		mem_free(MEM_OTHER, r->answer.line[--r->answer.cnt].text);
}

void
control_answered(TAKE struct control_req *r)
{
	if (!r->asker) {
		control_req_free(r);
		return;
	}
	r->msg.handle = r->done;
	worker_post(r->asker, &r->msg);
}

void
control_post(struct tern *t, TAKE struct control_req *r)
{
	r->tern = t;
	r->msg.handle = t->control.ops->request;
	worker_post(t->control.worker, &r->msg);
}
