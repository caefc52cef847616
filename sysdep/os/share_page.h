/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that other processes may read and never write: a file without a name.
 *
 * G1  A reader has a descriptor that was opened for reading only. The kernel refuses
 *     write(2), ftruncate(2) and a mapping with the right to write. The seals of the file
 *     refuse another length, also to the writer, so that no reader gets SIGBUS.
 * G2  The length is reserved. The kernel adds a page of memory at the first write to the
 *     page.
 *
 * Any thread. client/http/counted/page_map.h maps the memory for a reader. */
#ifndef TERN_SYSDEP_OS_SHARE_PAGE_H
#define TERN_SYSDEP_OS_SHARE_PAGE_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

/* The writer's side. Owner: the writer. Life: from share_page_new to share_page_free. */
struct share_page {
	void *memory; /* zeros at first */
	size_t len;
	struct os_fd read_fd; /* for readers */
};

/* share_page_new - @len octets, rounded up to whole pages. Returns: 0, or negative errno:
 * the system has no such files. */
MUST_CHECK int share_page_new(struct share_page *s, size_t len);
/* share_page_free - readers keep their mapping. */
void share_page_free(struct share_page *s);

#endif
