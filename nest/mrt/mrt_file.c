/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that gets its name when it is whole.
 *
 * I1  What is written is another file beside it, so that the name can go over in one step
 *     (rename). It is removed after any error. Its name has the time of its making, so
 *     two dumps to one name don't meet; the one that ends last is there.
 * I2  Nothing but a file is replaced: who names a device is told so. */
#include "nest/mrt/mrt_file.h"

#include "lib/base/mem.h"
#include "lib/base/strbuf.h"
#include "lib/mt/rcu.h"
#include "sysdep/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_part(struct mrt_file *f)
{
	struct stat st;

	if (!stat(f->path, &st) && !S_ISREG(st.st_mode)) /* I2 */
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	f->fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return f->fd < 0 ? -errno : 0;
}

static void
forget(struct mrt_file *f)
{
	mem_free(MEM_OTHER, f->path);
	mem_free(MEM_OTHER, f->part);
	*f = (struct mrt_file){ .fd = -1 };
}

int
mrt_file_open(struct mrt_file *f, const char *path)
{
	struct strbuf b;
	int rc;

	strbuf_init(&b);
	strbuf_addf(&b, "%s.%llx.part", path, (unsigned long long)clock_now_ns());
	*f = (struct mrt_file){ mem_strdup(MEM_OTHER, path), strbuf_take(&b), -1, false };
	rcu_sleep();
	rc = open_part(f);
	rcu_wake();
	if (rc)
		forget(f);
	return rc;
}

int
mrt_write_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENOSPC;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int
mrt_file_write(struct mrt_file *f, const uint8_t *p, size_t len)
{
	int rc;

	rcu_sleep();
	rc = mrt_write_all(f->fd, p, len);
	rcu_wake();
	f->failed |= rc != 0;
	return rc;
}

int
mrt_file_close(struct mrt_file *f, bool drop)
{
	int rc = 0;

	if (!mrt_file_is_open(f))
		return 0;
	rcu_sleep();
	drop |= f->failed;
	if (close(f->fd) && !drop)
		rc = -errno;
	if (!drop && !rc && rename(f->part, f->path))
		rc = -errno;
	if (drop || rc)
		unlink(f->part);
	rcu_wake();
	forget(f);
	return rc;
}
