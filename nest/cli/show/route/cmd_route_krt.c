/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of the kernel's routes in `show route all` (cmd_route_krt.h). Loop: any
 * thread, under RCU. Tested by test/net/test_kernel.py. */
#include "nest/cli/show/route/cmd_route_krt.h"

#include "filter/run/custom.h"
#include "lib/attr/attr.h"
#include "lib/net/ip.h"

#include <stdio.h>

#define FIXED 5 /* attributes before the kernel's metrics */

#define X(metric, number) [number] = #metric,
static const char *const metrics[] = { KRT_METRICS(X)[KRT_CONGCTL] = "congctl" };
#undef X

/* krt_bits_text - the names of the bits of @v, with blanks between. */
static void
krt_bits_text(char *to, size_t room, uint32_t v, const char *const *name, unsigned cnt)
{
	size_t len = 0;

	*to = '\0';
	for (unsigned i = 0; i < cnt && len < room; i++)
		if (name[i] && (v >> i & 1))
			len += (size_t)snprintf(
			    to + len, room - len, "%s%s", len ? " " : "", name[i]);
}

/* cmd_route_krt_name_of - name of attribute number @i; NULL: no such number. */
static const char *
cmd_route_krt_name_of(unsigned i, uint16_t *id)
{
	static const char *const fixed[FIXED] = { "source", "metric", "prefsrc", "realm",
		"scope" };

	if (i < FIXED) {
		*id = (uint16_t)(CUSTOM_KRT_SOURCE + i);
		return fixed[i];
	}
	i -= FIXED;
	*id = (uint16_t)(CUSTOM_KRT_METRICS + i);
	return i == KRT_LOCK ? "lock" : i == KRT_FEATURES ? "features" : metrics[i];
}

static bool
cmd_route_krt_take(const struct attr_set *set, unsigned i, struct route_krt *out)
{
	static const char *const features[] = { "ecn", NULL, NULL, "allfrag" };
	struct custom_item it;
	struct ip_addr a;
	uint16_t id;

	out->name = cmd_route_krt_name_of(i, &id);
	if (!out->name || !custom_find(set, id, &it))
		return false;
	if (id == CUSTOM_KRT_METRICS + KRT_CONGCTL) {
		out->is_text = true;
		snprintf(out->text, sizeof(out->text), "%.*s", (int)it.len,
		    (const char *)it.val);
		return true;
	}
	out->is_text = it.len == sizeof(a);
	if (out->is_text) {
		memcpy(&a, it.val, sizeof(a));
		ip_str(out->text, a);
		return true;
	}
	if (it.len != sizeof(out->value))
		return false;
	memcpy(&out->value, it.val, sizeof(out->value));
	if (i == FIXED + KRT_LOCK)
		krt_bits_text(out->text, sizeof(out->text), out->value, metrics,
		    ARRAY_LEN(metrics));
	else if (i == FIXED + KRT_FEATURES)
		krt_bits_text(out->text, sizeof(out->text), out->value, features,
		    ARRAY_LEN(features));
	out->is_text = i == FIXED + KRT_LOCK || i == FIXED + KRT_FEATURES;
	return true;
}

bool
route_krt(const struct attr_set *set, unsigned *pos, struct route_krt *out)
{
	while (set->local.custom_words && *pos < FIXED + ARRAY_LEN(metrics))
		if (cmd_route_krt_take(set, (*pos)++, out))
			return true;
	return false;
}
