/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of actors. */
#include "test/sim/actor.h"

#include <string.h>

static const struct actor_kind *const kinds[] = {
	&rtr_kind,
	&bfd_kind,
	&station_kind,
	&router_kind,
	&client_kind,
	&kernel_kind,
};

const struct actor_kind *
actor_kind_of(const char *word)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i]->word, word))
			return kinds[i];
	return NULL;
}
