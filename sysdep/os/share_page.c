/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that other processes may read and never write. Any thread. Tested by
 * test/unit/test_share_page.c. */
#include "sysdep/os/share_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* F_SEAL_FUTURE_WRITE (Linux 5.1): the mapping of the writer stays writable. An older
 * kernel lacks the seal, and the descriptor of the reader refuses writes alone. */
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define SHARE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* share_page_seal - Returns: 0 or negative errno. */
static int
share_page_seal(int fd)
{
	if (!fcntl(fd, F_ADD_SEALS, SHARE_SEALS | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) ||
	    !fcntl(fd, F_ADD_SEALS, SHARE_SEALS | F_SEAL_SEAL))
		return 0;
	return -errno;
}

int
share_page_new(struct share_page *s, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char path[32];
	int fd, err;

	s->len = (len + page - 1) / page * page;
	fd = memfd_create("tern counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	s->memory = MAP_FAILED;
	if (!ftruncate(fd, (off_t)s->len))
		s->memory = mmap(NULL, s->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->memory == MAP_FAILED) {
		err = -errno;
		goto err_file;
	}
	err = share_page_seal(fd);
	if (err)
		goto err_map;
	/* a second description of the file, with the right to read alone */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s->read_fd = os_fd_of(open(path, O_RDONLY | O_CLOEXEC));
	if (!os_fd_is_open(s->read_fd)) {
		err = -errno;
		goto err_map;
	}
	close(fd);
	return 0;

err_map:
	munmap(s->memory, s->len);
err_file:
	close(fd);
	return err;
}

void
share_page_free(struct share_page *s)
{
	munmap(s->memory, s->len);
	close(s->read_fd.os_nr);
}
