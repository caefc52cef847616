/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of the routes that clients with add-path (RFC 7911) hold: of each net all
 * paths that the server passes on, but their own, each under one identifier, whatever
 * that is. */
#ifndef TERN_TEST_LOAD_ADDPATH_H
#define TERN_TEST_LOAD_ADDPATH_H

#include "test/load/load_pathid.h"

struct load_board;

/* owner: a load_addpath. */
struct load_addpath_row {
	uint32_t *held; /* set by number of a path id; 0: nothing. NULL: no add-path */
	uint64_t *rest; /* by net; 0: it holds what it must (load_addpath.c) */
	uint64_t unknown; /* withdrawals of what it didn't hold */
	uint32_t unknown_first; /* number of the first such path id */
};

/* owner: a load_board. */
struct load_addpath {
	struct load_pathids ids;
	struct load_addpath_row *row; /* one a client; NULL: nobody has add-path */
	uint32_t *before; /* by number: the one of the same net before it; LOAD_NONE */
	uint32_t *last; /* by net: the last number; LOAD_NONE: none */
	uint32_t id_cap, net_cap; /* room for so many */
};

#define LOAD_ADDPATH_SHOWN 16

/* How a client's paths of a net differ from what they must be; the first of each kind. */
struct load_addpath_diff {
	uint32_t missing_cnt, extra_cnt;
	uint32_t missing[LOAD_ADDPATH_SHOWN]; /* sets */
	uint32_t extra[LOAD_ADDPATH_SHOWN]; /* numbers of path ids */
};

/* load_addpath_begin - clients from @first on have add-path; room for @ids path ids. */
void load_addpath_begin(struct load_board *b, uint32_t first, uint32_t ids);
void load_addpath_fini(struct load_board *b);
/* load_addpath_grow - room for @cap nets. */
void load_addpath_grow(struct load_board *b, uint32_t cap);
/* load_addpath_number - the number of what @want names (load_pathids_after). */
uint32_t load_addpath_number(
    struct load_board *b, uint32_t prev, const struct load_pathid *want);

/* load_addpath_receive_run - @client was sent set @set (0: withdrawn) for @cnt path ids
 * whose numbers follow each other. */
void load_addpath_receive_run(struct load_board *b, uint32_t client, uint32_t first,
    uint32_t cnt, uint32_t set, uint64_t now);
/* load_addpath_receive_list - likewise for @cnt numbers in this order. */
void load_addpath_receive_list(struct load_board *b, uint32_t client, const uint32_t *nr,
    uint32_t cnt, uint32_t set, uint64_t now);

/* load_addpath_sum - stands for all sets that @client must hold of @net. */
uint64_t load_addpath_sum(const struct load_board *b, uint32_t client, uint32_t net);
/* load_addpath_want - for @client the sum of @net was @was and is @is now. */
void load_addpath_want(struct load_board *b, uint32_t client, uint32_t net, uint64_t was,
    uint64_t is, uint64_t now);
/* load_addpath_forget - @client holds nothing; load_addpath_count must follow. */
void load_addpath_forget(struct load_board *b, uint32_t client);
/* load_addpath_count - find anew for which nets @client doesn't hold what it must.
 * Returns: how many. */
uint32_t load_addpath_count(struct load_board *b, uint32_t client);
/* load_addpath_wanted - how many paths @client must hold of @net. */
uint32_t load_addpath_wanted(const struct load_board *b, uint32_t client, uint32_t net);
/* load_addpath_compare - path by path, without the sums. */
void load_addpath_compare(const struct load_board *b, uint32_t client, uint32_t net,
    struct load_addpath_diff *d);
/* load_addpath_unknown - withdrawals of unknown path ids, of all clients. */
uint64_t load_addpath_unknown(const struct load_board *b);

#endif
