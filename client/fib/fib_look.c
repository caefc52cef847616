/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of ternfib that read: lookup, stat, verify, walk, watch. Tested by
 * test/unit/test_ternfib.c.
 *
 * Loop: the main thread. */
#include "client/fib/fib_cmd.h"
#include "lib/fib/ternfib.h"
#include "lib/net/ip.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* ---- lookup ---- */

/* fib_cmd_show_hop - an image whose attributes lack the next hop has only the kind of the
 * route. */
static void
fib_cmd_show_hop(const struct ternfib *t, uint64_t answer)
{
	struct ternfib_hop h;
	char text[IP_STR_MAX];

	if (ternfib_hop(t, answer, &h))
		printf("via -");
	else if (h.kind == TERNFIB_DROP || h.kind == TERNFIB_REJECT)
		printf("via %s", h.kind == TERNFIB_DROP ? "blackhole" : "unreachable");
	else if (h.kind == TERNFIB_LINK)
		printf("via interface %" PRIu32, h.ifindex);
	else if (ip_is_none(ip_get16(h.addr)))
		printf("unicast");
	else
		printf("via %s", ip_str(text, ip_get16(h.addr)));
}

static void
fib_cmd_show_attr(const struct ternfib *t, uint64_t answer)
{
	static const char *const rpki[] = { "", " rpki unknown", " rpki valid",
		" rpki invalid" };
	struct ternfib_attr a;
	uint32_t i;

	if (ternfib_attr(t, answer, &a))
		return;
	if (a.peer_as)
		printf(" peer as %" PRIu32, a.peer_as);
	printf("%s", rpki[a.rpki & 3]);
	for (i = 0; i < a.community_cnt && i < TERNFIB_COMMUNITIES_MAX; i++)
		printf(" (%" PRIu32 ",%" PRIu32 ")", a.community[i] >> 16,
		    a.community[i] & 0xffff);
	for (i = 0; i < a.large_cnt && i < TERNFIB_COMMUNITIES_MAX; i++)
		printf(" (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", a.large[i][0],
		    a.large[i][1], a.large[i][2]);
}

static void
fib_cmd_show(const struct ternfib *t, uint64_t answer)
{
	uint32_t asn;

	if (!answer) {
		printf("no route\n");
		return;
	}
	fib_cmd_show_hop(t, answer);
	if (!ternfib_origin(t, answer, &asn) && asn)
		printf(" as %" PRIu32, asn);
	fib_cmd_show_attr(t, answer);
	printf("\n");
}

/* fib_cmd_lookup_one - Returns: false: @text is no address of the image's family. */
static bool
fib_cmd_lookup_one(
    const struct fib_cmd *c, struct ternfib *t, int *lost, const char *text)
{
	struct ip_addr a;
	uint8_t octet[16];
	uint64_t answer;

	fib_cmd_follow(c, t, lost); /* a new image may have another family */
	if (ip_parse(&a, text) || ip_is_v4(a) != (ternfib_bits(t) == 32)) {
		fprintf(stderr, "ternfib: %s: no address of this image\n", text);
		return false;
	}
	ip_put16(octet, a);
	answer = ip_is_v4(a) ? ternfib_find4(t, ip_to_v4(a)) : ternfib_find6(t, octet);
	printf("%s ", text);
	fib_cmd_show(t, answer);
	return true;
}

int
fib_cmd_lookup(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	char line[128];
	bool all = true;
	int lost = 0;

	if (!t)
		return 1;
	for (char **a = arg; *a; a++)
		all &= fib_cmd_lookup_one(c, t, &lost, *a);
	while (!*arg && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\r\n")] = 0;
		all &= fib_cmd_lookup_one(c, t, &lost, line);
		fflush(stdout);
	}
	ternfib_close(t);
	return !all;
}

/* ---- stat, verify, walk, watch ---- */

int
fib_cmd_stat(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	struct ternfib_stat s;
	struct timespec now;
	uint64_t now_ns;

	(void)arg;
	if (!t)
		return 1;
	ternfib_stat(t, &s);
	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	printf("table: %s\nfamily: %s\nfields: next hop%s%s%s%s\n", s.table,
	    s.bits == 32 ? "ipv4" : "ipv6", s.fields & 1 ? ", origin as" : "",
	    s.fields & 2 ? ", peer as" : "", s.fields & 4 ? ", communities" : "",
	    s.fields & 8 ? ", rpki" : "");
	printf("generation: %" PRIu64 "%s\nprefixes: %" PRIu64 "\nimage: %" PRIu64
	       " octets, %.2f per prefix\n",
	    s.generation, s.replaced ? ", replaced" : "", s.prefix_cnt, s.image_octets,
	    s.prefix_cnt ? (double)s.image_octets / (double)s.prefix_cnt : 0);
	printf("next hops, origins, attributes: %" PRIu64 " octets\nholes: %" PRIu64
	       " octets\n",
	    s.side_octets, s.idle_octets);
	printf("writer: process %" PRIu32
	       ", last publication %.3f s ago, last sign of life "
	       "%.3f s ago\n",
	    s.pid, (double)(int64_t)(now_ns - s.published_ns) / 1e9,
	    (double)(int64_t)(now_ns - s.heartbeat_ns) / 1e9);
	ternfib_close(t);
	return 0;
}

int
fib_cmd_verify(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	const char *why;
	int err;

	(void)arg;
	if (!t)
		return 1;
	err = ternfib_verify(t, &why);
	if (err == -EBUSY)
		printf("%s: the writer published during each check\n", c->path);
	else if (err)
		printf("%s: damaged: %s\n", c->path, why);
	else
		printf("%s: sound, generation %" PRIu64 "\n", c->path,
		    ternfib_generation(t));
	ternfib_close(t);
	return err != 0;
}

static int
fib_cmd_walk_one(void *arg, const struct ternfib_range *r)
{
	char first[IP_STR_MAX], last[IP_STR_MAX];

	printf("%s - %s ", ip_str(first, ip_get16(r->first)),
	    ip_str(last, ip_get16(r->last)));
	fib_cmd_show(arg, r->answer);
	return 0;
}

int
fib_cmd_walk(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	int err;

	(void)arg;
	if (!t)
		return 1;
	err = ternfib_walk(t, fib_cmd_walk_one, t);
	if (err)
		fprintf(stderr, "ternfib: %s: damaged\n", c->path);
	ternfib_close(t);
	return err != 0;
}

int
fib_cmd_watch(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	int limit = c->seconds ? (int)c->seconds * 1000 : -1, err = 0, lost = 0;
	struct ternfib_stat s;

	(void)arg;
	if (!t)
		return 1;
	while (!err) {
		ternfib_stat(t, &s);
		if (lost >= 0)
			printf("generation %" PRIu64 ", %" PRIu64 " prefixes, %" PRIu64
			       " octets\n",
			    s.generation, s.prefix_cnt, s.image_octets);
		fflush(stdout);
		err = ternfib_wait(t, s.generation, limit);
		fib_cmd_follow(c, t, &lost);
	}
	ternfib_close(t);
	if (err != -ETIMEDOUT)
		fprintf(stderr, "ternfib: %s: %s\n", c->path, strerror(-err));
	return err != -ETIMEDOUT || lost < 0;
}
