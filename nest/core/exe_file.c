/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's own program (exe_file.h). A package puts a new file in the place of the
 * old file, so inode or time of change differ. Loop: the thread of main; any thread asks.
 * Tested by test/net/test_instances.py. */
#include "nest/core/exe_file.h"

#include "lib/mem/mem.h"

#include <errno.h>

void
exe_file_init(struct exe_file *p)
{
	p->path = file_real("/proc/self/exe");
	if (p->path && file_look(p->path, &p->was)) {
		mem_free(MEM_OTHER, p->path);
		p->path = NULL;
	}
}

void
exe_file_fini(struct exe_file *p)
{
	mem_free(MEM_OTHER, p->path);
}

bool
exe_file_replaced(const struct exe_file *p)
{
	struct file_info now;

	return p->path && !file_look(p->path, &now) && now.kind == FILE_REGULAR &&
	       (now.inode != p->was.inode || now.device != p->was.device ||
		   now.changed_s != p->was.changed_s);
}

bool
exe_file_missing(const struct exe_file *p)
{
	struct file_info now;

	return p->path && file_look(p->path, &now) == -ENOENT;
}
