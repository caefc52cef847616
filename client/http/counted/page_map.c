/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps the memory that a daemon shares. Any thread. Tested by
 * test/unit/test_share_page.c. */
#include "client/http/counted/page_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE_MAP_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

const void *
page_map_new(int fd, size_t *len)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *memory;

	/* without the seals the file could become shorter below the mapping */
	if (seals < 0 || (seals & PAGE_MAP_SEALS) != PAGE_MAP_SEALS || fstat(fd, &st) ||
	    st.st_size <= 0)
		return NULL;
	*len = (size_t)st.st_size;
	memory = mmap(NULL, *len, PROT_READ, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void
page_map_free(const void *memory, size_t len)
{
	munmap((void *)(uintptr_t)memory, len);
}
