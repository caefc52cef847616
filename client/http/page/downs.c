/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the losses of a session as bars in SVG, without script and style. The words say
 * what the bars show, for readers who do not see them. Pure functions.
 *
 * Tested by test/unit/test_http_downs.c. */
#include "client/http/page/downs.h"

#define DOWNS_HIGH 14 /* height of the picture */
#define DOWNS_WIDE 4 /* of an hour */

struct downs
downs_read(struct jview member)
{
	struct jview at = jview_get(member, "downs"), item;
	struct downs d = { 0 };

	for (unsigned i = 0; i < DOWNS_HOURS && jview_next(&at, NULL, &item); i++) {
		uint64_t n = jview_u64(item, 0);

		d.hour[i] = n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;
	}
	return d;
}

/* downs_height - the height of the bar for @n losses: each loss counts less than the loss
 * before. */
static unsigned
downs_height(unsigned n)
{
	unsigned high = 0;

	for (; n; n /= 2)
		high++;
	high = 3 + 3 * high;
	return high < DOWNS_HIGH ? high : DOWNS_HIGH;
}

void
downs_picture(struct strbuf *o, const struct downs *d)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < DOWNS_HOURS; i++)
		sum += d->hour[i];
	if (!sum)
		return;
	strbuf_addf(o,
	    "<svg class=\"downs\" role=\"img\" aria-label=\"lost %u time%s in 24 hours\" "
	    "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><title>lost %u time%s in "
	    "24 hours</title><path d=\"M0 %d.5h%d\"/>",
	    sum, sum == 1 ? "" : "s", DOWNS_HOURS * DOWNS_WIDE, DOWNS_HIGH + 1,
	    DOWNS_HOURS * DOWNS_WIDE, DOWNS_HIGH + 1, sum, sum == 1 ? "" : "s",
	    DOWNS_HIGH, DOWNS_HOURS * DOWNS_WIDE);
	for (unsigned i = 0; i < DOWNS_HOURS; i++)
		if (d->hour[i])
			strbuf_addf(o,
			    "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\"/>",
			    i * DOWNS_WIDE, DOWNS_HIGH - downs_height(d->hour[i]),
			    DOWNS_WIDE - 1, downs_height(d->hour[i]));
	strbuf_adds(o, "</svg>");
}
