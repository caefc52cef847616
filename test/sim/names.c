/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of machines in the simulated world. A story gives a name addresses;
 * localhost is 127.0.0.1. The resolver of the host takes no part. One thread.
 *
 * I1  The list of an answer has the order of the story.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim.h"
#include "test/sim/sim_net.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 16

static struct {
	char name[64], address[64];
} names[NAMES_MAX];
static unsigned name_cnt;

void
sim_name_add(const char *name, const char *address)
{
	if (name_cnt == NAMES_MAX)
		sim_fail("more than %u addresses of names", NAMES_MAX);
	snprintf(names[name_cnt].name, sizeof(names[0].name), "%s", name);
	snprintf(names[name_cnt++].address, sizeof(names[0].address), "%s", address);
}

int __real_getaddrinfo(const char *name, const char *port, const struct addrinfo *hint,
    struct addrinfo **out);

/* numeric_list - the list of the text of one address. */
static int
numeric_list(const char *address, const char *port, const struct addrinfo *hint,
    struct addrinfo **out)
{
	struct addrinfo numeric = hint ? *hint : (struct addrinfo){ 0 };

	numeric.ai_flags |= AI_NUMERICHOST;
	return __real_getaddrinfo(address, port, &numeric, out);
}

int
__wrap_getaddrinfo(const char *name, const char *port, const struct addrinfo *hint,
    struct addrinfo **out)
{
	struct addrinfo **end = out;

	if (!numeric_list(name, port, hint, out))
		return 0;
	*out = NULL;
	if (hint && hint->ai_flags & AI_NUMERICHOST)
		return EAI_NONAME;
	sim_event("name %s is looked up", name);
	if (!strcmp(name, "localhost"))
		return numeric_list("127.0.0.1", port, hint, out);
	for (unsigned i = 0; i < name_cnt; i++)
		if (!strcmp(names[i].name, name) &&
		    !numeric_list(names[i].address, port, hint, end))
			end = &(*end)->ai_next;
	return *out ? 0 : EAI_NONAME;
}
