/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the simulated disk, for disk.c and disk_stdio.c. */
#ifndef TERN_TEST_SIM_NODE_H
#define TERN_TEST_SIM_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file. owner: the paths and open files that name the file. */
struct node {
	struct node *next; /* in the list of paths */
	char path[256];
	unsigned refs;
	char *buf;
	size_t len;
	uint64_t ino, changed_ns;
	void *listener; /* of a socket */
};

/* disk_find - NULL with ENOENT: no such path. */
struct node *disk_find(const char *path);
const struct node *disk_first(void);
/* disk_is_real - is the path one of the real disk (disk.c, I3)? */
bool disk_is_real(const char *path);
bool disk_uses_real(void);
/* disk_node_of - NULL with EBADF: the descriptor is not of the simulated disk. */
struct node *disk_node_of(int fd);

#endif
