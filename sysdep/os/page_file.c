/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One anonymous file, mapped whole once; a bit stands for a block. A returned block is
 * removed from the file (MADV_REMOVE); pages that sockets still hold stay intact. Any
 * thread.
 *
 * I1  No page is larger than a block. Linux zeroes a hole in a larger page in place
 *     before it tries to split the page (truncate_inode_partial_folio). Splitting fails
 *     while a socket holds the page, and the socket would send zeros. If shmem_enabled is
 *     `always` or `within_size` the file would have such pages. */
#include "sysdep/os/page_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define FILE_LEN ((size_t)PAGE_FILE_CNT * PAGE_FILE_BLOCK)
#define WORDS    (PAGE_FILE_CNT / 64)

struct page_file *
page_file_new(void)
{
	struct page_file *pf = mem_zalloc(MEM_OTHER, sizeof(*pf));

	pf->fd = memfd_create("tern messages", MFD_CLOEXEC);
	if (pf->fd < 0)
		goto err_fd;
	if (ftruncate(pf->fd, (off_t)FILE_LEN))
		goto err_map;
	pf->base = mmap(NULL, FILE_LEN, PROT_READ | PROT_WRITE, MAP_SHARED, pf->fd, 0);
	if (pf->base == MAP_FAILED)
		goto err_map;
	/* I1; the call fails on kernels without huge pages. */
	madvise(pf->base, FILE_LEN, MADV_NOHUGEPAGE);
	return pf;

err_map:
	close(pf->fd);
err_fd:
	mem_free(MEM_OTHER, pf);
	return NULL;
}

void
page_file_free(TAKE struct page_file *pf)
{
	if (!pf)
		return;
	munmap(pf->base, FILE_LEN);
	close(pf->fd);
	mem_free(MEM_OTHER, pf);
}

void *
page_file_take(struct page_file *pf, enum mem_tag tag)
{
	uint32_t from = load_relaxed32(&pf->hint);

	for (uint32_t n = 0; n < WORDS; n++) {
		uint32_t w = (from + n) % WORDS;
		uint64_t old = load_relaxed64(&pf->taken[w]);

		while (~old) {
			unsigned bit = (unsigned)__builtin_ctzll(~old);

			if (!cas_acq_rel64(&pf->taken[w], &old,
				old | 1ull << bit)) /* pairs: PFTAKEN */
				continue;
			store_relaxed32(&pf->hint, w);
			mem_note(tag, PAGE_FILE_BLOCK);
			return pf->base + (size_t)(w * 64 + bit) * PAGE_FILE_BLOCK;
		}
	}
	return NULL;
}

void
page_file_give(struct page_file *pf, enum mem_tag tag, void *block)
{
	uint32_t i = (uint32_t)((size_t)((uint8_t *)block - pf->base) / PAGE_FILE_BLOCK);
	uint64_t bit = 1ull << (i % 64);

	/* If the pages can't be dropped the block is lost: they may wait in a queue. */
	if (madvise(block, PAGE_FILE_BLOCK, MADV_REMOVE))
		return;
	mem_note(tag, -(ptrdiff_t)PAGE_FILE_BLOCK);
	store_relaxed32(&pf->hint, i / 64);
	for (uint64_t old = load_relaxed64(&pf->taken[i / 64]);
	     !cas_acq_rel64(&pf->taken[i / 64], &old, old & ~bit);) /* pairs: PFTAKEN */
		;
}

ssize_t
page_file_send(const struct page_file *pf, struct os_fd fd, const void *p, size_t len)
{
	off_t at = (const uint8_t *)p - pf->base;
	size_t done = 0;

	while (done < len) {
		ssize_t n = sendfile(fd.os_nr, pf->fd, &at, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			return -errno;
	}
	return (ssize_t)done;
}

size_t
page_file_taken(const struct page_file *pf)
{
	size_t cnt = 0;

	for (uint32_t w = 0; pf && w < WORDS; w++)
		cnt += (size_t)__builtin_popcountll(load_relaxed64(&pf->taken[w]));
	return cnt * PAGE_FILE_BLOCK;
}
