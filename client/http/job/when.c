/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in requests. Pure functions. Tested by test/unit/test_http_when.c. */
#include "client/http/job/when.h"

#include "lib/base/scan.h"

#include <string.h>
#include <time.h>

#define WHEN_DEFAULT_S 3600
#define WHEN_DAY_S     86400
#define WHEN_AGO_MAX   100000 /* minutes, hours or days */

/* when_two - read two digits. Returns: false: other characters, or beyond @max. */
static bool
when_two(const char **s, int max, int *out)
{
	const char *p = *s;

	if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
		return false;
	*out = (p[0] - '0') * 10 + (p[1] - '0');
	*s += 2;
	return *out <= max;
}

/* when_clock - HH:MM[:SS][Z] up to the end of the text. */
static bool
when_clock(const char *s, struct tm *tm)
{
	if (!when_two(&s, 23, &tm->tm_hour) || *s++ != ':' ||
	    !when_two(&s, 59, &tm->tm_min))
		return false;
	if (*s == ':') {
		s++;
		if (!when_two(&s, 59, &tm->tm_sec))
			return false;
	}
	s += *s == 'Z';
	return !*s;
}

/* when_date - YYYY-MM-DD, and a time of the day behind T or a blank. */
static bool
when_date(const char *s, struct tm *tm)
{
	int high, low;

	if (!when_two(&s, 99, &high) || !when_two(&s, 99, &low) || *s++ != '-' ||
	    !when_two(&s, 12, &tm->tm_mon) || *s++ != '-' ||
	    !when_two(&s, 31, &tm->tm_mday))
		return false;
	tm->tm_year = high * 100 + low - 1900;
	if (tm->tm_year < 70 || !tm->tm_mon-- || !tm->tm_mday)
		return false;
	return !*s || ((*s == 'T' || *s == ' ') && when_clock(s + 1, tm));
}

/* when_ago - 15m, 1h, 2d. */
static bool
when_ago(uint64_t *unix_s, const char *s, uint64_t now_s)
{
	size_t len = strspn(s, "0123456789");
	uint64_t unit = s[len] == 'm'   ? 60
			: s[len] == 'h' ? 3600
			: s[len] == 'd' ? WHEN_DAY_S
					: 0;
	char copy[8];
	uint64_t n;

	if (!unit || s[len + 1] || len >= sizeof(copy))
		return false;
	memcpy(copy, s, len);
	copy[len] = 0;
	if (scan_u64(&n, copy, WHEN_AGO_MAX))
		return false;
	*unix_s = now_s - (n * unit < now_s ? n * unit : now_s);
	return true;
}

bool
when_scan(uint64_t *unix_s, const char *s, uint64_t now_s)
{
	struct tm tm = { 0 };
	time_t t;

	if (strspn(s, "0123456789") == strlen(s))
		return !scan_u64(unix_s, s, UINT32_MAX);
	if (when_ago(unix_s, s, now_s))
		return true;
	if (when_date(s, &tm)) {
		t = timegm(&tm);
		*unix_s = (uint64_t)t;
		return t >= 0 && (uint64_t)t <= UINT32_MAX;
	}
	if (!when_clock(s, &tm))
		return false;
	*unix_s = now_s - now_s % WHEN_DAY_S +
		  (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
	if (*unix_s > now_s)
		*unix_s -= WHEN_DAY_S;
	return true;
}

const char *
when_args(struct ask_args *a, const struct request *r, uint64_t now_s)
{
	a->since_s = now_s - WHEN_DEFAULT_S;
	a->until_s = 0;
	if (*r->since && !when_scan(&a->since_s, r->since, now_s))
		return "wrong value of the parameter since";
	if (*r->until && (!when_scan(&a->until_s, r->until, now_s) || !a->until_s))
		return "wrong value of the parameter until";
	if (a->until_s && a->until_s < a->since_s)
		return "until is before since";
	return NULL;
}
