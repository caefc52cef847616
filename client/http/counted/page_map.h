/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps the memory that a daemon shares (sysdep/os/share_page.h), to read. Any thread. */
#ifndef TERN_CLIENT_HTTP_COUNTED_PAGE_MAP_H
#define TERN_CLIENT_HTTP_COUNTED_PAGE_MAP_H

#include "lib/base/check.h"

/* page_map_new - map the file @fd, which stays open. *@len: its octets. Returns: NULL:
 * the file could become shorter, or cannot be mapped. */
const void *page_map_new(int fd, size_t *len);
void page_map_free(const void *memory, size_t len);

#endif
