/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communities of a route in words. Loop: the session's. Tested by
 * test/net/test_filtered.py. */
#include "nest/cli/show/route/cmd_words.h"

#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "nest/conf/file/comm_words.h"
#include "nest/core/reply.h"

void
cmd_words_reply(struct reply *r, const struct comm_words *w, const struct wire_set *wire,
    const char *said)
{
	struct strbuf text, comm;
	struct comm_of c;
	uint32_t pos = 0;
	bool any = false;

	strbuf_init(&text);
	strbuf_init(&comm);
	while (comm_words_next(w, wire, &pos, &c, &text)) {
		strbuf_reset(&comm);
		comm_print_one(&comm, c.kind, c.comm);
		if (r->text && strstr(said, comm.s))
			continue;
		if (!any)
			reply_list(r, "community_texts");
		any = true;
		reply_open(r, NULL);
		reply_str(r, "community", "\t\t%s: ", comm.s);
		reply_str(r, "text", "%s\n", text.s);
		reply_close(r);
	}
	if (any)
		reply_close(r);
	strbuf_fini(&text);
	strbuf_fini(&comm);
}
