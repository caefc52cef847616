/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test/load/load_dump.h"

#include "lib/mem/mem.h"

#include <errno.h>
#include <stdio.h>

uint32_t
load_dump_crc(const void *p, size_t len)
{
	const uint8_t *at = p, *end = at + len;
	uint32_t crc = UINT32_MAX;
	unsigned bit;

	for (; at < end; at++) {
		crc ^= *at;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

void
load_dump_routes(const struct load_run *r)
{
	char buf[PREFIX_STR_MAX], addr[IP_STR_MAX];
	uint32_t c, i, j;

	for (c = 0; c < r->clients; c++)
		printf("member %u %u %u %s\n", c, r->facts[c].as, r->facts[c].router_id,
		    ip_str(addr, r->facts[c].addr));
	for (i = 1; i < r->sets.cnt; i++) {
		printf("set %u ", i);
		for (j = 0; j < r->sets.set[i].canon.len; j++)
			printf("%02x", r->sets.set[i].canon.p[j]);
		printf("\n");
	}
	for (i = 0; i < r->model.route_cnt; i++) {
		const struct model_route *q = &r->model.route[i];
		struct prefix p = load_net_prefix(&r->nets.net[q->net]);

		if (q->set)
			printf(
			    "route %u %s %u\n", q->client, prefix_str(buf, &p), q->set);
	}
}

uint64_t
load_dump_hash(const struct load_run *r, uint32_t client, const uint32_t *net_crc,
    const uint32_t *set_crc, uint64_t *cnt)
{
	uint64_t sum = 0;
	uint32_t n, set;

	*cnt = 0;
	for (n = 0; n < r->nets.cnt; n++) {
		set = load_board_held(&r->board, client, n);
		if (!set)
			continue;
		++*cnt;
		sum += net_crc[n] * (1ull << 32 | set_crc[set]);
	}
	return sum;
}

void
load_dump_crcs(const struct load_run *r, uint32_t *net_crc, uint32_t *set_crc)
{
	char buf[PREFIX_STR_MAX];
	uint32_t i;

	for (i = 0; i < r->nets.cnt; i++) {
		struct prefix p = load_net_prefix(&r->nets.net[i]);

		prefix_str(buf, &p);
		net_crc[i] = load_dump_crc(buf, strlen(buf));
	}
	for (i = 1; i < r->sets.cnt; i++)
		set_crc[i] = load_dump_crc(
		    r->sets.set[i].canon.p, r->sets.set[i].canon.len);
}

static void
load_dump_write_all(const struct load_run *r, FILE *f)
{
	uint32_t *net_crc = mem_alloc(MEM_OTHER, (r->nets.cnt + 1) * sizeof(*net_crc));
	uint32_t *set_crc = mem_alloc(MEM_OTHER, r->sets.cnt * sizeof(*set_crc));
	uint64_t hash, cnt;
	uint32_t i;

	load_dump_crcs(r, net_crc, set_crc);
	for (i = 0; i < r->clients; i++) {
		if (r->client[i].elsewhere)
			continue;
		hash = load_dump_hash(r, i, net_crc, set_crc, &cnt);
		fprintf(f, "%u %llu %016llx\n", i, (unsigned long long)cnt,
		    (unsigned long long)hash);
	}
	mem_free(MEM_OTHER, net_crc);
	mem_free(MEM_OTHER, set_crc);
}

int
load_dump_hashes(const struct load_run *r)
{
	FILE *f = fopen(r->opt->hashes, "we");
	int err = f ? 0 : -errno;

	if (f) {
		load_dump_write_all(r, f);
		err = ferror(f) ? -EIO : 0;
		if (fclose(f) && !err)
			err = -errno;
	}
	if (err)
		fprintf(stderr, "ternload: %s: %s\n", r->opt->hashes, strerror(-err));
	return err;
}
