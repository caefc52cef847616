/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of stdio and patterns of paths over the simulated disk (disk.c).
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim_node.h"
#include "test/sim/sim_priv.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);
void __real_globfree(glob_t *g);
int __real_glob(const char *pattern, int flags, int (*err)(const char *, int), glob_t *g);

/* stream_of - a stdio stream over a copy of the content. */
static FILE *
stream_of(const struct node *n)
{
	FILE *f = fmemopen(NULL, n->len + 1, "w+");

	if (f && n->len)
		fwrite(n->buf, 1, n->len, f);
	if (f)
		rewind(f);
	return f;
}

/* style: fmemopen's stream would end at the octet 0 that fmemopen adds; an exact size
 * does not. */
static FILE *
exact_stream(const struct node *n)
{
	char *copy;
	FILE *f;

	if (!n->len)
		return stream_of(n);
	/* lives as long as the process: stdio has no call at close */
	copy = malloc(n->len);
	memcpy(copy, n->buf, n->len);
	f = fmemopen(copy, n->len, "r");
	return f;
}

FILE *
__wrap_fopen(const char *path, const char *mode)
{
	const struct node *n = disk_find(path);

	if (!n && disk_is_real(path))
		return __real_fopen(path, mode);
	if (*mode != 'r' || !n)
		return NULL;
	return exact_stream(n);
}

FILE *
__wrap_fdopen(int fd, const char *mode)
{
	const struct node *n;
	FILE *f;

	if (fd < SIM_FD_FIRST)
		return __real_fdopen(fd, mode);
	n = disk_node_of(fd);
	if (!n)
		return NULL;
	f = exact_stream(n);
	if (f)
		close(fd);
	return f;
}

static int
path_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
__wrap_glob(const char *pattern, int flags, int (*err)(const char *, int), glob_t *g)
{
	if (disk_is_real(pattern))
		return __real_glob(pattern, flags, err, g);
	memset(g, 0, sizeof(*g));
	g->gl_pathv = calloc(4096, sizeof(char *));
	for (const struct node *n = disk_first(); n; n = n->next)
		if (!n->listener && g->gl_pathc < 4095 &&
		    !fnmatch(pattern, n->path, FNM_PATHNAME))
			g->gl_pathv[g->gl_pathc++] = strdup(n->path);
	qsort(g->gl_pathv, g->gl_pathc, sizeof(char *), path_compare);
	return g->gl_pathc ? 0 : GLOB_NOMATCH;
}

void
__wrap_globfree(glob_t *g)
{
	if (disk_uses_real()) {
		__real_globfree(g);
		return;
	}
	for (size_t i = 0; i < g->gl_pathc; i++)
		free(g->gl_pathv[i]);
	free(g->gl_pathv);
}
