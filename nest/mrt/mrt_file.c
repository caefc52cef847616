/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that gets its name when the file is complete.
 *
 * I1  Octets go to a temporary file in the folder, so that rename() replaces the previous
 *     file in a single step. Any error removes the temporary file. The temporary name has
 *     the time of creation, so two dumps to one name use different files; the later dump
 *     wins.
 * I2  A dump replaces only a regular file; a device is refused with an error.
 *
 * Loop: the owner's. */
#include "nest/mrt/mrt_file.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"

#include <errno.h>

static int
file_open_part(struct mrt_file *f)
{
	struct file_info i;

	if (!file_look(f->path, &i) && i.kind != FILE_REGULAR) /* I2 */
		return i.kind == FILE_FOLDER ? -EISDIR : -ENOTSUP;
	f->fd = file_make(f->part);
	return os_fd_error(f->fd);
}

static void
mrt_file_forget(struct mrt_file *f)
{
	mem_free(MEM_OTHER, f->path);
	mem_free(MEM_OTHER, f->part);
	*f = (struct mrt_file){ .fd = OS_FD_NONE };
}

int
mrt_file_open(struct mrt_file *f, const char *path)
{
	struct strbuf b;
	int rc;

	strbuf_init(&b);
	strbuf_addf(&b, "%s.%llx.part", path, (unsigned long long)clock_now_ns());
	*f = (struct mrt_file){ mem_strdup(MEM_OTHER, path), strbuf_take(&b), OS_FD_NONE,
		false };
	rcu_sleep();
	rc = file_open_part(f);
	rcu_wake();
	if (rc)
		mrt_file_forget(f);
	return rc;
}

int
mrt_file_write(struct mrt_file *f, const uint8_t *p, size_t len)
{
	int rc;

	rcu_sleep();
	rc = fd_write_all(f->fd, p, len);
	rcu_wake();
	f->failed |= rc != 0;
	return rc;
}

int
mrt_file_close(struct mrt_file *f, bool drop)
{
	int rc;

	if (!mrt_file_is_open(f))
		return 0;
	rcu_sleep();
	drop |= f->failed;
	rc = fd_close(f->fd);
	if (drop)
		rc = 0;
	else if (!rc)
		rc = file_rename(f->part, f->path);
	if (drop || rc)
		file_remove(f->part);
	rcu_wake();
	mrt_file_forget(f);
	return rc;
}
