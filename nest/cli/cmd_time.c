/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times among the arguments of commands. Any thread. Tested by
 * test/unit/test_cmd_time.c. */
#include "nest/cli/cmd_time.h"

#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "sysdep/os/clock.h"

#include <ctype.h>
#include <string.h>

#define DAY_S       86400
#define TIME_DIGITS 10 /* of seconds since 1970 */

/* time_digits - read @cnt digits. Returns: false: other characters. */
static bool
time_digits(const char **s, unsigned cnt, int *out)
{
	int n = 0;

	for (unsigned i = 0; i < cnt; i++) {
		if (!isdigit((unsigned char)(*s)[i]))
			return false;
		n = n * 10 + ((*s)[i] - '0');
	}
	*s += cnt;
	*out = n;
	return true;
}

/* time_clock - HH:MM[:SS] */
static bool
time_clock(const char **s, struct tm *tm)
{
	if (!time_digits(s, 2, &tm->tm_hour) || *(*s)++ != ':' ||
	    !time_digits(s, 2, &tm->tm_min))
		return false;
	tm->tm_sec = 0;
	if (**s == ':') {
		++*s;
		if (!time_digits(s, 2, &tm->tm_sec))
			return false;
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

/* time_date - YYYY-MM-DD, and the time of the day. */
static bool
time_date(const char **s, struct tm *tm)
{
	if (!time_digits(s, 4, &tm->tm_year) || *(*s)++ != '-' ||
	    !time_digits(s, 2, &tm->tm_mon) || *(*s)++ != '-' ||
	    !time_digits(s, 2, &tm->tm_mday))
		return false;
	if (tm->tm_year < 1970 || tm->tm_mon < 1 || tm->tm_mon > 12 || tm->tm_mday < 1 ||
	    tm->tm_mday > 31)
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	if ((**s != 'T' && **s != ' ') || !isdigit((unsigned char)(*s)[1]))
		return true;
	++*s;
	return time_clock(s, tm);
}

/* time_last - the last time before @now_s of the hour and minute in @tm. */
static int64_t
time_last(const struct tm *tm, int64_t now_s)
{
	struct tm day;
	int64_t at = -1;

	for (int64_t back = 0; back < 2; back++) {
		clock_local(&day, now_s - back * DAY_S);
		day.tm_hour = tm->tm_hour;
		day.tm_min = tm->tm_min;
		day.tm_sec = tm->tm_sec;
		day.tm_isdst = -1;
		at = clock_of_local(&day);
		if (at <= now_s)
			break;
	}
	return at;
}

size_t
cmd_time_scan(int64_t *unix_s, const char *s, int64_t now_s)
{
	struct tm tm = { .tm_isdst = -1 };
	size_t digits = strspn(s, "0123456789");
	const char *p = s;

	*unix_s = -1;
	if (digits == 4 && s[4] == '-') {
		if (time_date(&p, &tm))
			*unix_s = clock_of_local(&tm);
	} else if (s[digits] == ':') {
		if (time_clock(&p, &tm))
			*unix_s = time_last(&tm, now_s);
	} else if (digits && digits <= TIME_DIGITS) {
		for (*unix_s = 0; isdigit((unsigned char)*p); p++)
			*unix_s = *unix_s * 10 + (*p - '0');
	}
	return *unix_s >= 0 && (!*p || *p == ' ' || *p == '\t') ? (size_t)(p - s) : 0;
}

bool
cmd_parse_time(struct cli_session *s, struct cli_scan *sc, uint64_t *mono_ns)
{
	uint64_t now = clock_now_ns();
	int64_t now_ns = (int64_t)clock_real_ns(now), unix_s, ago_ns;
	bool quoted = sc->tok == TOK_TEXT;
	const char *text = quoted ? sc->text : sc->at;
	size_t len = cmd_time_scan(&unix_s, text, now_ns / (int64_t)NS_PER_S);

	if (!len || (quoted && text[len])) {
		cli_syntax(s, sc, "a time such as 03:00, 2026-11-30T03:00 or 1795999715");
		return false;
	}
	ago_ns = now_ns - unix_s * (int64_t)NS_PER_S;
	*mono_ns = ago_ns > (int64_t)now ? 0 : (uint64_t)((int64_t)now - ago_ns);
	if (quoted)
		cli_scan_step(sc);
	else
		cli_scan_skip(sc, len);
	return true;
}

/* time_unit - step over a unit. Returns: its seconds; 1 without a unit. */
static uint32_t
time_unit(struct cli_scan *sc)
{
	static const struct {
		const char *word;
		uint32_t s;
	} unit[] = { { "s", 1 }, { "min", 60 }, { "m", 60 }, { "h", 3600 },
		{ "d", DAY_S } };

	for (unsigned i = 0; i < ARRAY_LEN(unit); i++)
		if (cli_scan_word(sc, unit[i].word))
			return unit[i].s;
	return 1;
}

bool
cmd_parse_span(struct cli_session *s, struct cli_scan *sc, uint32_t *span_s)
{
	uint64_t cnt = sc->num;

	if (sc->tok != TOK_NUM) {
		cli_syntax(s, sc, "a time such as 90, 30 min, 4h or 2d");
		return false;
	}
	cli_scan_step(sc);
	cnt = min_u64(cnt, CMD_SPAN_MAX + 1) * time_unit(sc);
	if (!cnt || cnt > CMD_SPAN_MAX) {
		cli_end(s, CLI_BAD_COMMAND, "The time must be from 1 s to %u d",
		    CMD_SPAN_MAX / (uint32_t)DAY_S);
		return false;
	}
	*span_s = (uint32_t)cnt;
	return true;
}
