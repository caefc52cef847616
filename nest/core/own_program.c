/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's own program (own_program.h). A package puts a new file in the place of the
 * old file, so inode or time of change differ. Loop: the thread of main; any thread asks.
 * Tested by test/net/test_instances.py. */
#include "nest/core/own_program.h"

#include "lib/mem/mem.h"

void
own_program_init(struct own_program *p)
{
	p->path = file_real("/proc/self/exe");
	if (p->path && file_look(p->path, &p->was)) {
		mem_free(MEM_OTHER, p->path);
		p->path = NULL;
	}
}

void
own_program_fini(struct own_program *p)
{
	mem_free(MEM_OTHER, p->path);
}

bool
own_program_replaced(const struct own_program *p)
{
	struct file_info now;

	return p->path && !file_look(p->path, &now) && now.kind == FILE_REGULAR &&
	       (now.inode != p->was.inode || now.device != p->was.device ||
		   now.changed_s != p->was.changed_s);
}
