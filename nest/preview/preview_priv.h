/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a preview. Only files of nest/preview include the header. Owner of the
 * structs: the preview. Loop: the owner's. */
#ifndef TERN_NEST_PREVIEW_PREVIEW_PRIV_H
#define TERN_NEST_PREVIEW_PREVIEW_PRIV_H

#include "lib/mem/arena.h"
#include "nest/channel/channel_try.h"
#include "nest/preview/preview.h"

struct net;
struct overlay_cand;
struct path;
struct table;

#define PREVIEW_CHUNK 64 /* net ids that are looked at together */

/* A path whose import is decided anew. Owner: the chunk. Life: one step. Freed by:
 * arena_reset. */
struct preview_path {
	const struct path *path;
	struct preview_channel *from; /* NULL: no channel of the preview */
	bool was, is; /* selectable, before and after */
	bool sure; /* the received route is known */
	struct try_answer answer; /* if the import is decided anew and sure */
	bool tried;
};

/* A net of a chunk. Owner: the step, on the stack. Life: one step. Freed by:
 * preview_net_drop. */
struct preview_net {
	uint32_t id;
	const struct net *net;
	bool changed; /* some path differs */
	bool done; /* belongs to a group that was handled */
	struct preview_path *path; /* all paths, if imports change; else NULL */
	uint32_t path_cnt;
	const struct path *was; /* best path before */
	struct overlay_cand *cand; /* if changed: routes after, the best last */
	unsigned cand_cnt;
	uint8_t lost_why; /* enum reason of a refused import; 0: none */
	const char *file; /* place of the refusal */
	uint32_t line;
};

/* A table of the present view. Owner: the preview. Life: as the preview. Freed by:
 * preview_free. */
struct preview_table {
	struct table *table;
	struct preview_channel **reader; /* channels that export its routes */
	unsigned reader_cnt, reader_cap;
	struct preview_channel **source; /* by number of the feeder */
	uint32_t source_cnt;
	bool import_changed, export_changed;
};

/* Owner: the control worker, then the worker of the steps. Life: until preview_free. */
struct preview {
	struct tern *tern;
	struct config_ref *now, *next;
	struct preview_member *member;
	unsigned member_cnt, member_cap;
	bool (*only)(const void *arg, const char *name);
	const void *only_arg;
	uint32_t keep;
	const char *failed;
	bool begun, done;
	uint64_t view_nr;
	struct preview_table *table;
	unsigned table_cnt, at; /* at: the present table */
	uint64_t table_number; /* of the present table; 0: not begun */
	uint32_t pos; /* first id of the present chunk */
	uint64_t chunk_done; /* by id of the chunk: the net was handled */
	struct filter_thread *ft;
	struct arena arena; /* of a chunk */
	struct arena work; /* of a decision */
	struct preview_sums sums;
};

/* ---- preview_count.c ---- */
/* preview_wants - true: the exports of @m are decided. */
bool preview_wants(const struct preview *pv, const struct preview_member *m);
/* preview_count - count @cnt changes @k of @r, with examples of @s. */
void preview_count(struct preview *pv, struct preview_routes *r, enum preview_change k,
    const struct preview_sample *s);

/* ---- preview_find.c ---- */
/* preview_find - find the objects of the present view again. */
void preview_find(struct preview *pv);
/* preview_sources - find the numbers of the feeders of @t again. */
void preview_sources(struct preview *pv, struct preview_table *t);
/* preview_finish - counts before and after, limits, sessions that moved. */
void preview_finish(struct preview *pv);

/* ---- preview_net.c ---- */
/* preview_net_look - the paths of the net @id of @t before and after. Returns: false: no
 * such net. preview_net_done - count the imports. preview_net_drop - drop references. */
bool preview_net_look(
    struct preview *pv, struct preview_table *t, uint32_t id, struct preview_net *n);
void preview_net_done(
    struct preview *pv, const struct preview_table *t, const struct preview_net *n);
void preview_net_drop(struct preview_net *n);

/* ---- preview_export.c ---- */
/* preview_export - decide for @c about the nets @n, which have equal best routes before
 * and after. */
void preview_export(struct preview *pv, const struct preview_table *t,
    struct preview_channel *c, struct preview_net *const *n, unsigned cnt);

#endif
