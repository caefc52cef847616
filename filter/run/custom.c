/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registry of custom attributes: a small array, searched in order. Loop: the parser's
 * thread. Tested by test/unit/test_value.c and test/unit/test_config.c. */
#include "filter/run/custom.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include <errno.h>

void
custom_registry_init(struct custom_registry *r)
{
	memset(r, 0, sizeof(*r));
}

void
custom_registry_fini(struct custom_registry *r)
{
	unsigned i;

	for (i = 0; i < r->cnt; i++)
		mem_free(MEM_CONFIG, (char *)(uintptr_t)r->attr[i].name);
	mem_free(MEM_CONFIG, r->attr);
	memset(r, 0, sizeof(*r));
}

int
custom_registry_id(struct custom_registry *r, const char *name, uint8_t type)
{
	unsigned i;

	for (i = 0; i < r->cnt; i++)
		if (r->attr[i].type == type && !strcmp(r->attr[i].name, name))
			return r->attr[i].id;
	if (r->cnt >= CUSTOM_MAX)
		return -ENOSPC;
	r->attr = vec_room(MEM_CONFIG, r->attr, &r->cap, r->cnt + 1, sizeof(*r->attr));
	r->attr[r->cnt] = (struct custom_attr){
		.id = (uint16_t)(r->cnt + 1),
		.type = type,
		.name = mem_strdup(MEM_CONFIG, name),
	};
	return r->attr[r->cnt++].id;
}
