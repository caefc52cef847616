/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the losses of a session as bars in SVG, without script and style. The words say
 * what the bars show, for readers who do not see them. Pure functions.
 *
 * Tested by test/unit/test_http_downs.c. */
#include "client/http/page/downs.h"
#include "lib/base/plural.h"

#include <stdio.h>

#define DOWNS_HIGH 14 /* height of the picture */
#define DOWNS_HOUR 3 /* width of an hour */
#define DOWNS_DAY  8 /* width of a day */
#define DOWNS_GAP  2 /* between the days and the hours */
#define DOWNS_LEFT (DOWNS_DAYS * DOWNS_DAY + DOWNS_GAP) /* of the hours */
#define DOWNS_WIDE (DOWNS_LEFT + DOWNS_HOURS * DOWNS_HOUR)

struct downs
downs_read(struct jview member)
{
	struct jview at = jview_get(member, "downs"), item;
	struct downs d = { 0 };

	for (unsigned i = 0; i < DOWNS_HOURS && jview_next(&at, NULL, &item); i++) {
		uint64_t n = jview_u64(item, 0);

		d.hour[i] = n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;
	}
	at = jview_get(member, "downs_days");
	for (unsigned i = 0; i < DOWNS_DAYS && jview_next(&at, NULL, &item); i++) {
		uint64_t n = jview_u64(item, 0);

		d.day[i] = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
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

/* downs_bar - the bar for @n losses. */
static void
downs_bar(struct strbuf *o, unsigned left, unsigned wide, unsigned n)
{
	if (n)
		strbuf_addf(o, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
		    left, DOWNS_HIGH - downs_height(n), wide - 1, downs_height(n));
}

void
downs_picture(struct strbuf *o, const struct downs *d)
{
	unsigned hours = 0, days = 0;
	char words[80];

	for (unsigned i = 0; i < DOWNS_HOURS; i++)
		hours += d->hour[i];
	for (unsigned i = 0; i < DOWNS_DAYS; i++)
		days += d->day[i];
	if (!hours && !days)
		return;
	snprintf(words, sizeof(words),
	    "lost %u time%s in 7 days, %u in the last 24 hours", days + hours,
	    plural(days + hours, "", "s"), hours);
	strbuf_addf(o,
	    "<svg class=\"downs\" role=\"img\" aria-label=\"%s\" "
	    "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><title>%s</title>"
	    "<path d=\"M0 %d.5h%dm%d 0h%d\"/>",
	    words, DOWNS_WIDE, DOWNS_HIGH + 1, DOWNS_WIDE, DOWNS_HIGH + 1, words,
	    DOWNS_HIGH, DOWNS_LEFT - DOWNS_GAP, DOWNS_GAP, DOWNS_WIDE - DOWNS_LEFT);
	for (unsigned i = 0; i < DOWNS_DAYS; i++)
		downs_bar(o, i * DOWNS_DAY, DOWNS_DAY, d->day[i]);
	for (unsigned i = 0; i < DOWNS_HOURS; i++)
		downs_bar(o, DOWNS_LEFT + i * DOWNS_HOUR, DOWNS_HOUR, d->hour[i]);
	strbuf_adds(o, "</svg>");
}
