/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of HTML. Each text of a daemon or a client goes through html_text or
 * html_value, which escape all characters with a meaning in texts and attributes. Loop:
 * the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_PAGE_HTML_H
#define TERN_CLIENT_HTTP_PAGE_HTML_H

#include "client/http/job/job.h"
#include "lib/json/jview.h"

/* html_text - the text @s. html_value - the text of @v; "" if absent. */
void html_text(struct strbuf *o, const char *s);
void html_value(struct strbuf *o, struct jview v);
/* html_time - the time @unix_s in UTC. html_moment - to the second. html_span - a
 * duration in two units at most. */
void html_time(struct strbuf *o, double unix_s);
void html_moment(struct strbuf *o, double unix_s);
void html_span(struct strbuf *o, uint64_t seconds);
/* html_count - a number with a thin blank between groups of three digits. */
void html_count(struct strbuf *o, uint64_t n);
/* html_badge - the state @word in the colour @kind: good, bad, warn, none. */
void html_badge(struct strbuf *o, const char *kind, const char *word);
/* html_path - the list @path of AS numbers. html_communities - the communities of the
 * attributes @attributes, of all kinds. */
void html_path(struct strbuf *o, struct jview path);
void html_communities(struct strbuf *o, struct jview attributes);

/* html_head - the page up to its first heading @title. html_foot - the rest. */
void html_head(struct job *j, const char *title);
void html_foot(struct job *j);
/* Which servers have answered. Owner: the state of a view. By value: nothing to free. */
struct html_answers {
	unsigned cnt; /* questions with an answer */
	int rc; /* of the last question without an answer */
};

/* html_answered - the present question has ended: count its answer. */
void html_answered(const struct job *j, struct html_answers *a);
/* html_end - html_foot, and the status of job_gone without any answer. */
void html_end(struct job *j, const struct html_answers *a);
/* html_server - the heading of a server, with the state of the last question. */
void html_server(struct job *j, const char *name);
/* html_problem - the page of an error: struct view.problem. */
void html_problem(struct job *j, const char *detail);

extern const char html_type[];
/* html_style_view - the style sheet. */
extern const struct view html_style_view;
/* html_script_view - the script of pages with events. */
extern const struct view html_script_view;

#endif
