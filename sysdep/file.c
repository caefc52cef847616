/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading whole, replacing atomically, matching names. */
#include "sysdep/file.h"
#include "lib/base/strbuf.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP (64 * 1024)

int
file_read(char **out, size_t *len, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	size_t cap, at = 0;
	struct stat st;
	char *buf;
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* The size is a hint: a pipe or a file in /proc has none, another may grow. */
	cap = fstat(fd, &st) || st.st_size < 0
		  ? 0
		  : (size_t)min_u64((uint64_t)st.st_size, max);
	cap += READ_STEP;
	buf = mem_alloc(MEM_OTHER, cap + 1);
	for (;;) {
		if (at == cap) {
			cap *= 2;
			buf = mem_realloc(MEM_OTHER, buf, cap + 1);
		}
		n = read(fd, buf + at, cap - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
		if (at > max)
			break;
	}
	if (n < 0)
		rc = -errno;
	else if (at > max)
		rc = -EFBIG;
	close(fd);
	if (rc) {
		mem_free(MEM_OTHER, buf);
		return rc;
	}
	buf[at] = 0;
	*out = buf;
	*len = at;
	return 0;
}

static int
write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return fsync(fd) ? -errno : 0;
}

int
file_replace(const char *path, const void *data, size_t len, unsigned mode)
{
	struct strbuf temp;
	int fd, rc;

	strbuf_init(&temp);
	strbuf_addf(&temp, "%s.XXXXXX", path);
	fd = mkostemp(temp.s, O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		goto err_temp;
	}
	rc = fchmod(fd, (mode_t)mode) ? -errno : write_all(fd, data, len);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temp.s, path))
		rc = -errno;
	if (rc)
		unlink(temp.s);
err_temp:
	strbuf_fini(&temp);
	return rc;
}

/* Add @dir so that its characters aren't taken for a pattern. */
static void
add_literal(struct strbuf *b, const char *dir)
{
	for (; *dir; dir++) {
		if (strchr("*?[]\\", *dir))
			strbuf_addc(b, '\\');
		strbuf_addc(b, *dir);
	}
}

/* By octets, in every locale. */
static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
file_glob(struct file_list *out, const char *dir, const char *pattern)
{
	bool is_pattern = strpbrk(pattern, "*?[") != NULL;
	struct strbuf full;
	glob_t g = { 0 };
	int rc;

	out->path = NULL;
	out->cnt = 0;
	strbuf_init(&full);
	if (dir && *dir && pattern[0] != '/') {
		if (is_pattern)
			add_literal(&full, dir);
		else
			strbuf_adds(&full, dir);
		strbuf_addc(&full, '/');
	}
	strbuf_adds(&full, pattern);
	if (!is_pattern) {
		out->path = mem_alloc(MEM_OTHER, sizeof(char *));
		out->path[0] = mem_strdup(MEM_OTHER, full.s);
		out->cnt = 1;
		strbuf_fini(&full);
		return 0;
	}
	rc = glob(full.s, GLOB_NOSORT, NULL, &g);
	strbuf_fini(&full);
	if (rc)
		return rc == GLOB_NOMATCH ? -ENOENT : rc == GLOB_NOSPACE ? -ENOMEM : -EIO;
	out->path = mem_alloc(MEM_OTHER, g.gl_pathc * sizeof(char *));
	for (size_t i = 0; i < g.gl_pathc; i++)
		out->path[i] = mem_strdup(MEM_OTHER, g.gl_pathv[i]);
	out->cnt = g.gl_pathc;
	globfree(&g);
	qsort(out->path, out->cnt, sizeof(char *), compare_names);
	return 0;
}

void
file_list_fini(struct file_list *l)
{
	for (size_t i = 0; i < l->cnt; i++)
		mem_free(MEM_OTHER, l->path[i]);
	mem_free(MEM_OTHER, l->path);
	l->path = NULL;
	l->cnt = 0;
}
