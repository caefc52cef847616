/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script of the looking glass: a page that names a stream of events shows the present
 * state after each event. Pages work without the script. Loop: the only thread of
 * ternhttp.
 *
 * - The script fetches the page again and replaces the main part: the server alone
 *   writes HTML. Events wait for 2 s, so that many events cause one request.
 * - A reader who has selected text, or whose keyboard is in the main part, keeps the
 *   page: the script tries again later.
 * - A page that is not visible waits until the reader returns.
 *
 * Tested by test/net/test_http_live.py. */
#include "client/http/job/job.h"
#include "client/http/page/html.h"
#include "lib/base/strbuf.h"

static const char script_text[] =
    "\"use strict\";\n"
    "(() => {\n"
    "  const stream = document.currentScript.dataset.events;\n"
    "  const kinds = [\"session_up\", \"session_down\", \"configured\", \"limit\", "
    "\"problem\",\n"
    "    \"problem_ended\", \"rpki_data\", \"away\", \"back\", \"gap\", \"route\", "
    "\"withdrawn\"];\n"
    "  let timer = 0, routes = stream.includes(\"prefix=\"), begun = !routes;\n"
    "  const busy = main => document.hidden || main.contains(document.activeElement) ||\n"
    "    !getSelection().isCollapsed;\n"
    "  const load = async () => {\n"
    "    timer = 0;\n"
    "    const main = document.getElementById(\"main\");\n"
    "    if (busy(main)) return soon();\n"
    "    try {\n"
    "      const answer = await fetch(location.href);\n"
    "      if (!answer.ok) return soon();\n"
    "      const page = new DOMParser().parseFromString(await answer.text(), "
    "\"text/html\");\n"
    "      if (busy(main)) return soon();\n"
    "      for (const part of [\"main\", \"footer\"])\n"
    "        document.querySelector(part).replaceWith(document.adoptNode("
    "page.querySelector(part)));\n"
    "    } catch (e) {\n"
    "      soon();\n"
    "    }\n"
    "  };\n"
    "  const soon = () => { timer = timer || setTimeout(load, 2000); };\n"
    "  const events = new EventSource(stream);\n"
    "  for (const kind of kinds)\n"
    "    events.addEventListener(kind, () => { if (begun) soon(); });\n"
    "  events.addEventListener(\"snapshot\", () => { if (begun) soon(); begun = true; "
    "});\n"
    "})();\n";

static void
script_begin(struct job *j)
{
	strbuf_adds(&j->out, script_text);
}

static void
script_end(struct job *j)
{
	(void)j;
}

const struct view html_script_view = {
	.type = "text/javascript; charset=utf-8",
	.begin = script_begin,
	.end = script_end,
	.problem = html_problem,
};
