/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communities of a route in words. Loop: the session's. Tested by
 * test/net/test_filtered.py. */
#include "nest/cli/show/route/cmd_words.h"

#include "lib/attr/community.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "nest/cli/cli_session.h"
#include "nest/conf/comm_words.h"

void
cmd_words_json(struct json *j, const struct comm_words *w, const struct wire_set *wire)
{
	struct strbuf text, comm;
	struct comm_of c;
	uint32_t pos = 0;
	bool any = false;

	strbuf_init(&text);
	strbuf_init(&comm);
	while (comm_words_next(w, wire, &pos, &c, &text)) {
		if (!any)
			json_list(j, "community_texts");
		any = true;
		strbuf_reset(&comm);
		comm_print_one(&comm, c.kind, c.comm);
		json_open(j, NULL);
		json_text(j, "community", comm.s, comm.len);
		json_text(j, "text", text.s, text.len);
		json_close(j);
	}
	if (any)
		json_close(j);
	strbuf_fini(&text);
	strbuf_fini(&comm);
}

void
cmd_words_say(struct cli_session *s, enum cli_code code, const struct comm_words *w,
    const struct wire_set *wire, const char *said)
{
	struct strbuf text, line;
	struct comm_of c;
	uint32_t pos = 0;

	strbuf_init(&text);
	strbuf_init(&line);
	while (comm_words_next(w, wire, &pos, &c, &text)) {
		strbuf_reset(&line);
		comm_print_one(&line, c.kind, c.comm);
		if (!strstr(said, line.s))
			cli_say(s, code, "\t\t%s: %s", line.s, text.s);
	}
	strbuf_fini(&text);
	strbuf_fini(&line);
}
