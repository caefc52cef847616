/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the labels of a metric, `name="value"`, with the escapes of the format. Pure
 * functions. Tested by test/net/test_http_metrics.py. */
#include "client/http/metrics/metrics_priv.h"

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

#include <string.h>

/* label_name - a comma if a label precedes, and `name=`. */
static void
label_name(struct strbuf *o, const char *name)
{
	if (o->len && o->s[o->len - 1] != '{')
		strbuf_addc(o, ',');
	strbuf_adds(o, name);
	strbuf_addc(o, '=');
}

/* label_value - the @len octets at @s in quotes, with escapes. */
static void
label_value(struct strbuf *o, const char *s, size_t len)
{
	strbuf_addc(o, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' || s[i] == '"')
			strbuf_addc(o, '\\');
		if (s[i] == '\n')
			strbuf_adds(o, "\\n");
		else
			strbuf_addc(o, s[i]);
	}
	strbuf_addc(o, '"');
}

void
label_add(struct strbuf *o, const char *name, struct jview v)
{
	struct strbuf text;

	label_name(o, name);
	/* a string without escapes has the form of a label */
	if (v.p && *v.p == '"' && !memchr(v.p, '\\', v.len)) {
		strbuf_add(o, v.p, v.len);
		return;
	}
	strbuf_init(&text);
	jview_add(&text, v);
	label_value(o, text.s ? text.s : "", text.len);
	strbuf_fini(&text);
}

void
label_cstr(struct strbuf *o, const char *name, const char *value)
{
	label_name(o, name);
	label_value(o, value, strlen(value));
}

void
label_text(struct strbuf *o, const char *name, const char *value)
{
	label_name(o, name);
	strbuf_addc(o, '"');
	strbuf_adds(o, value);
	strbuf_addc(o, '"');
}
