/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builder of a table image: values, prefixes, publication.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c, test_fib_file.c and stress_fib.c. */
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/mem/mem.h"
#include "lib/mt/mapped.h"
#include <errno.h>
#include <stdio.h>

#define FIB_AHEAD    32u /* blocks whose memory is fetched before their turn */
#define CHUNK_OCTETS (256ull << 20) /* fib_options.max_octets by default */

OWNED struct fib *
fib_new(const struct fib_options *o)
{
	struct fib *f = mem_zalloc(MEM_PROTO, sizeof(*f));

	f->options = *o;
	snprintf(f->table, sizeof(f->table), "%s", o->table ? o->table : "");
	f->options.table = f->table;
	f->options.max_octets = FIB_UNIT * 4096;
	while (f->options.max_octets < (o->max_octets ? o->max_octets : CHUNK_OCTETS) &&
	       f->options.max_octets < (uint64_t)FIB_UNIT * FIB_UNITS_MAX)
		f->options.max_octets *= 2;
	if (!o->max_keys || o->max_keys > FIB_KEYS_MAX)
		f->options.max_keys = FIB_KEYS_MAX;
	fib_tree_init(&f->tree);
	fib_intern_init(&f->hop, FIB_HOP_MAX, UINT64_MAX);
	fib_intern_init(&f->origin, FIB_ORIGIN_MAX, UINT64_MAX);
	fib_intern_init(&f->attr, FIB_ATTR_MAX, FIB_SETS_OCTETS);
	fib_space_init(&f->chunk, (uint32_t)(f->options.max_octets / FIB_UNIT));
	fib_space_init(&f->set, FIB_SET_OCTETS / FIB_UNIT);
	f->file.now.fd = f->file.old.fd = -1;
	f->slot = mem_zalloc(MEM_PROTO, FIB_SLOTS * sizeof(*f->slot));
	f->scratch = mem_zalloc(MEM_PROTO, FIB_KEYS_OCTETS_MAX);
	f->changes.at = mem_zalloc(MEM_PROTO, FIB_CHANGES * sizeof(*f->changes.at));
	f->paint = mem_alloc(MEM_PROTO, FIB_DEPTH_MAX * sizeof(*f->paint));
	return f;
}

void
fib_free(TAKE struct fib *f)
{
	fib_file_stop(&f->file, false);
	fib_tree_fini(&f->tree);
	fib_intern_fini(&f->hop);
	fib_intern_fini(&f->origin);
	fib_intern_fini(&f->attr);
	fib_space_fini(&f->chunk);
	fib_space_fini(&f->set);
	mem_free(MEM_PROTO, f->slot);
	mem_free(MEM_PROTO, f->scratch);
	mem_free(MEM_PROTO, f->sweep.key);
	mem_free(MEM_PROTO, f->sweep.leaf);
	mem_free(MEM_PROTO, f->set_key.at);
	mem_free(MEM_PROTO, f->changes.at);
	mem_free(MEM_PROTO, f->paint);
	mem_free(MEM_PROTO, f);
}

/* ---- prefixes ---- */

uint64_t
fib_get(struct fib *f, const struct prefix *p)
{
	fib_change_all(f);
	return fib_tree_get(&f->tree, p);
}

uint32_t
fib_dirty(struct fib *f)
{
	fib_change_all(f);
	return f->tree.dirty_cnt;
}

/* ---- publication ---- */

/* fib_restart - forget the contents of the former file; the new file has none. */
static void
fib_restart(struct fib *f)
{
	fib_space_fini(&f->chunk);
	fib_space_fini(&f->set);
	fib_space_init(&f->chunk, (uint32_t)(f->options.max_octets / FIB_UNIT));
	fib_space_init(&f->set, FIB_SET_OCTETS / FIB_UNIT);
	fib_intern_all_fresh(&f->hop);
	fib_intern_all_fresh(&f->origin);
	fib_intern_all_fresh(&f->attr);
	memset(f->slot, 0, FIB_SLOTS * sizeof(*f->slot));
	fib_tree_touch_all(&f->tree);
	f->content_sum = 0;
	f->chunk_cnt = 0;
	f->all = false;
	f->failed = true; /* until the first publication */
}

static int
fib_start(struct fib *f, const char *path, unsigned mode, struct fib_file_left *left,
    uint64_t now_ns)
{
	struct fib_fixed x = { .bits = family_bits(f->options.family),
		.fields = f->options.fields,
		.created_ns = now_ns };
	int err;

	memcpy(x.table, f->table, sizeof(x.table));
	err = fib_file_start(&f->file, path, mode, &x, f->options.max_octets, left);
	if (err)
		return err;
	fib_restart(f);
	f->generation = max_u64(f->generation, left->generation);
	mapped_store_relaxed64(&fib_file_header(&f->file)->live.heartbeat_ns, now_ns);
	return 0;
}

int
fib_open(struct fib *f, struct fib_file *file, uint64_t now_ns)
{
	struct fib_file_left left;
	int err;

	fib_close(f, false);
	err = fib_start(f, file->path, file->mode, &left, now_ns);
	file->found = !left.exists   ? FIB_FOUND_NONE
		      : left.damaged ? FIB_FOUND_DAMAGED
				     : FIB_FOUND_LEFT;
	return err;
}

/* fib_numbers - the words of the header that describe the next generation. */
static void
fib_numbers(struct fib *f, uint64_t now_ns)
{
	struct fib_live *l = &fib_file_header(&f->file)->live;

	mapped_store_relaxed64(&l->heartbeat_ns, now_ns);
	mapped_store_relaxed64(&l->published_ns, now_ns);
	mapped_store_relaxed64(&l->prefix_cnt, f->tree.prefix_cnt);
	mapped_store_relaxed64(&l->content_sum, f->content_sum);
	mapped_store_relaxed64(&l->used[FIB_SLOT], FIB_SLOTS * sizeof(*f->slot));
	mapped_store_relaxed64(&l->used[FIB_HOP], f->hop.top * sizeof(struct fib_hop));
	mapped_store_relaxed64(
	    &l->used[FIB_ORIGIN], f->origin.top * sizeof(struct fib_origin));
	mapped_store_relaxed64(&l->used[FIB_ATTR], f->attr.top * sizeof(struct fib_attr));
	mapped_store_relaxed64(&l->used[FIB_SET], (uint64_t)f->set.top * FIB_UNIT);
	mapped_store_relaxed64(&l->used[FIB_CHUNK], (uint64_t)f->chunk.top * FIB_UNIT);
	mapped_store_relaxed64(&l->idle[FIB_SET], (uint64_t)f->set.idle * FIB_UNIT);
	mapped_store_relaxed64(&l->idle[FIB_CHUNK], (uint64_t)f->chunk.idle * FIB_UNIT);
}

/* fib_blocks_some - up to FIB_AHEAD dirty blocks from *@from on; *@from: the first block
 * behind them. Returns: their number. */
static uint32_t
fib_blocks_some(const struct fib_tree *t, uint32_t *from, uint32_t block[FIB_AHEAD])
{
	uint32_t cnt = 0, w = *from / 64;
	uint64_t bits = w < FIB_SLOTS / 64 ? t->dirty[w] & ~0ull << (*from % 64) : 0;

	while (cnt < FIB_AHEAD) {
		if (bits) {
			block[cnt++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
			bits &= bits - 1;
		} else if (++w < FIB_SLOTS / 64) {
			bits = t->dirty[w];
		} else {
			*from = FIB_SLOTS;
			return cnt;
		}
	}
	*from = block[cnt - 1] + 1;
	return cnt;
}

/* fib_blocks - write the blocks that changed. The processor fetches the memory of several
 * blocks at the same time: a worker that publishes from time to time finds little of the
 * tree in its caches. Returns: 0, or the last error; the blocks with errors stay
 * dirty. */
static int
fib_blocks(struct fib *f)
{
	struct fib_tree *t = &f->tree;
	uint32_t block[FIB_AHEAD], from = 0, cnt;
	int err = 0;

	while (t->dirty_cnt && (cnt = fib_blocks_some(t, &from, block))) {
		for (unsigned step = 0; step < FIB_FETCHES; step++)
			for (uint32_t i = 0; i < cnt; i++)
				fib_write_fetch(f, block[i], step);
		for (uint32_t i = 0; i < cnt; i++) {
			int one = fib_write_block(f, block[i]);

			if (one) {
				err = one;
				continue;
			}
			t->dirty[block[i] / 64] &= ~(1ull << (block[i] % 64));
			t->dirty_cnt--;
		}
	}
	return err;
}

/* fib_begin - mark publication @next as begun, and make use of what readers no longer
 * need. An index is usable two publications after a publication that changed all
 * blocks, because until then a slot may lead to the index. */
static void
fib_begin(struct fib *f, uint64_t next)
{
	uint64_t usable = f->complete[0] + 2 <= next ? f->complete[0] : f->complete[1];

	mapped_store_release64(&fib_file_header(&f->file)->live.begun, next);
	mapped_fence_release();
	fib_space_next(&f->chunk, next);
	fib_space_next(&f->set, next);
	f->hop.usable = f->origin.usable = f->attr.usable = usable;
}

/* fib_complete - all blocks of publication @next that could be written are written. */
static void
fib_complete(struct fib *f, uint64_t next, int err)
{
	fib_space_sure(&f->chunk, next, f->tree.dirty);
	if (err)
		return;
	fib_space_sure(&f->set, next, NULL);
	f->complete[1] = f->complete[0];
	f->complete[0] = next;
}

/* fib_wants_renewal - true if a new file costs less than changes of the present file:
 * most blocks change, or compaction cannot keep pace with the holes. */
static bool
fib_wants_renewal(const struct fib *f)
{
	return f->all || f->tree.dirty_cnt > FIB_SLOTS / 2 ||
	       (f->chunk.idle > FIB_RENEW_UNITS && f->chunk.idle > f->chunk.top / 3);
}

/* fib_publish_next - publish, also if no block changed. */
static int
fib_publish_next(struct fib *f, uint64_t now_ns)
{
	uint64_t next = f->generation + 1;
	struct fib_file_left left;
	struct fib_live *l;
	int err = 0;

	if (!fib_file_is_open(&f->file))
		return -EBADF;
	err = fib_file_check(&f->file);
	if (err) {
		f->counts.failures++;
		return err;
	}
	if (f->file.named && fib_wants_renewal(f))
		f->counts.failures += fib_start(f, f->file.path, f->file.mode, &left,
					  now_ns) != 0;
	fib_begin(f, next);
	err = fib_write_objects(f, next);
	if (!err) {
		fib_write_moves(f);
		err = fib_blocks(f);
	}
	f->counts.failures += err != 0;
	f->failed = err != 0;
	if (err && !f->file.named)
		return err;
	fib_complete(f, next, err);
	l = &fib_file_header(&f->file)->live;
	fib_numbers(f, now_ns);
	mapped_store_release64(&l->generation, next);
	if (err)
		mapped_store_relaxed64(&l->begun, next + 1);
	mapped_fence_release(); /* before the stores of the next publication: F5 */
	f->generation = next;
	f->counts.published++;
	f->counts.last_ns = now_ns;
	if (!f->file.named) {
		f->counts.rebuilt++;
		err = fib_file_name(&f->file);
		f->failed = err != 0;
	}
	fib_file_wake(&f->file);
	return err;
}

int
fib_publish(struct fib *f, uint64_t now_ns)
{
	fib_change_all(f);
	if (!fib_file_is_open(&f->file))
		return -EBADF;
	if (!f->tree.dirty_cnt && !f->failed && !f->all)
		return 0;
	f->packed = false;
	return fib_publish_next(f, now_ns);
}

/* ---- compaction while nothing changes ---- */

bool
fib_packs(const struct fib *f)
{
	uint32_t share = f->packs ? FIB_COMPACT_SHARE : FIB_PACK_SHARE;

	return !f->packed && !f->failed && f->file.named &&
	       f->chunk.idle + f->chunk.waiting > f->chunk.top / share;
}

int
fib_pack(struct fib *f, uint64_t now_ns)
{
	fib_change_all(f);
	bool quiet = !f->tree.dirty_cnt && !f->chunk.waiting;
	uint64_t moved = f->counts.chunks_moved;
	int err = fib_publish_next(f, now_ns);

	f->packed = quiet && !err && f->counts.chunks_moved == moved;
	f->packs = true;
	f->packs = fib_packs(f);
	return err;
}

void
fib_rebuild(struct fib *f)
{
	f->all = true;
}

int
fib_beat(struct fib *f, uint64_t now_ns)
{
	int err;

	if (!fib_file_is_open(&f->file))
		return -EBADF;
	err = fib_file_check(&f->file);
	if (!err)
		fib_file_beat(&f->file, now_ns);
	return err;
}

void
fib_close(struct fib *f, bool remove)
{
	fib_file_stop(&f->file, remove);
}

/* ---- numbers ---- */

void
fib_stat(struct fib *f, struct fib_stat *out)
{
	const struct fib_tree *t = &f->tree;

	fib_change_all(f);
	*out = (struct fib_stat){
		.generation = f->generation,
		.prefix_cnt = t->prefix_cnt,
		.chunk_cnt = f->chunk_cnt,
		.hop_cnt = f->hop.cnt,
		.origin_cnt = f->origin.cnt,
		.attr_cnt = f->attr.cnt,
		.image_octets = FIB_SLOTS * sizeof(*f->slot) +
				(uint64_t)f->chunk.top * FIB_UNIT,
		.side_octets = f->hop.top * sizeof(struct fib_hop) +
			       f->origin.top * sizeof(struct fib_origin) +
			       f->attr.top * sizeof(struct fib_attr) +
			       (uint64_t)f->set.top * FIB_UNIT,
		.idle_octets = (uint64_t)f->chunk.idle * FIB_UNIT,
		.holes = f->chunk.holes,
		.waiting_octets = (uint64_t)f->chunk.waiting * FIB_UNIT,
		.builder_octets = sizeof(*f) + FIB_CHANGES * sizeof(*f->changes.at) +
				  FIB_DEPTH_MAX * sizeof(*f->paint) +
				  FIB_SLOTS * (sizeof(*f->slot) + sizeof(*t->root) +
						  2 * sizeof(*t->shorts)) +
				  FIB_KEYS_OCTETS_MAX + (uint64_t)f->sweep.cap * 12 +
				  t->octets + t->node_cap * sizeof(*t->node) +
				  fib_space_octets(&f->chunk) +
				  fib_space_octets(&f->set) + fib_intern_octets(&f->hop) +
				  fib_intern_octets(&f->origin) +
				  fib_intern_octets(&f->attr),
		.published = f->counts.published,
		.rebuilt = f->counts.rebuilt,
		.chunks_written = f->counts.chunks_written,
		.octets_written = f->counts.octets_written,
		.chunks_moved = f->counts.chunks_moved,
		.failed = f->counts.failures,
		.last_ns = f->counts.last_ns,
	};
}
