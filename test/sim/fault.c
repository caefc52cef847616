/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of members (fault.h). */
#include "test/sim/fault.h"

#include "test/sim/script.h"
#include "test/sim/sim.h"
#include "test/sim/words.h"

#include <stdio.h>
#include <string.h>

void
fault_attribute(char *attrs, size_t room)
{
	static const char *const word[] = { "origin", "flags", "med", "community",
		"large", "otc" };
	const char *w = word[sim_random(sizeof(word) / sizeof(word[0]))];
	size_t len = strlen(attrs);

	snprintf(attrs + len, room - len, " wrong %s", strstr(attrs, w) ? "origin" : w);
}

bool
fault_header(struct member *m)
{
	/* the length, the type; a KEEPALIVE with a body */
	static const char *const hex[] = { "0012 04", "0013 09", "0014 04 00" };
	char text[64];
	uint8_t octets[32];
	uint32_t len;

	snprintf(text, sizeof(text), "ffffffffffffffffffffffffffffffff %s",
	    hex[sim_random(3)]);
	if (!m->up || !words_hex(text, octets, sizeof(octets), &len))
		return false;
	script_step("%s sends %s", m->name, text);
	member_send_raw(m, octets, len);
	return true;
}

void
fault_happens(struct member *m)
{
	if (sim_random(2))
		member_mute(m, !m->mute);
	else
		fault_header(m);
}
