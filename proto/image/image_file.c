/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of an image: when to publish, the heartbeat, and faults.
 *
 * The first publication waits for the table: until the channel gave all routes of the
 * start, no change came for SETTLE_NS (at most for SETTLE_MAX_NS), and the ROA table has
 * data. So readers of an image that an earlier daemon left keep a whole table. Later
 * changes are published PUBLISH_NS after the first change. While nothing changes, the
 * builder fills holes that changes left, one bounded step each PACK_NS.
 *
 *      fault                        tries again after   until then readers have
 *      another writer (-EBUSY)      RETRY_NS; at first  the other writer's image
 *                                   HANDOVER_NS
 *      a foreign file (-EEXIST)     RETRY_NS            no image; the file stays
 *      no directory, no right       RETRY_NS            the last image
 *      disk full (-ENOSPC)          RETRY_NS            the last generation
 *      file removed, replaced,      at once             the last image, marked replaced
 *      cut off or overwritten                           unless another process owns it
 *
 * I1  A fault ends no instance: the builder keeps all changes, and `fault` names the
 *     fault until a publication succeeds.
 * I2  `configure` lets instances exchange filenames, in any order of their commands. An
 *     instance therefore tries for HANDOVER_MAX_NS to get the file that another writer
 *     has before the instance reports the other writer.
 * I3  The file system may block, so the thread is outside RCU during each call.
 *
 * Loop: the instance's. Tested by test/net/test_image_faults.py. */
#include "lib/base/plural.h"
#include "proto/image/image_conf.h"
#include "proto/image/image_priv.h"

#include "lib/base/strbuf.h"
#include "lib/fib/fib_build.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PUBLISH_NS    (50 * NS_PER_MS)
#define PACK_NS       (100 * NS_PER_MS)
#define SETTLE_NS     (500 * NS_PER_MS)
#define SETTLE_MAX_NS (30 * NS_PER_S)
#define BEAT_NS       NS_PER_S
#define RETRY_NS      (2 * NS_PER_S)
#define LOG_NS        (60 * NS_PER_S)
/* between two tries while another writer may be about to close the file */
#define HANDOVER_NS     (10 * NS_PER_MS)
#define HANDOVER_MAX_NS NS_PER_S
#define FILE_MODE       0644

static uint64_t
image_file_now(const struct image_proto *s)
{
	return loop_now_ns(&s->p.worker);
}

static uint64_t
image_file_real_now(void)
{
	return clock_real_ns(clock_now_ns());
}

/* ---- faults ---- */

static void
image_file_fault(struct image_proto *s, enum image_fault f, int err)
{
	uint32_t now = f == IMAGE_OK ? 0 : (uint32_t)f << 16 | (uint32_t)-err;
	uint32_t was = load_relaxed32(&s->shown.fault);
	struct strbuf b;

	store_relaxed32(&s->shown.fault, now);
	if (!now) {
		if (was)
			proto_log(&s->p, LOG_C_INFO, "The image is up to date again");
		return;
	}
	if (now == was && !log_due(&s->file.logged_ns, image_file_now(s), LOG_NS))
		return;
	s->file.logged_ns = image_file_now(s);
	strbuf_init(&b);
	image_trouble_text(&s->p, &b);
	proto_log(&s->p, LOG_C_WARN, "The image is not up to date: %s", b.s);
	strbuf_fini(&b);
}

/* ---- publication ---- */

/* image_file_handed - true: the other writer of the file may be an instance that has not
 * done the same `configure` yet. */
static bool
image_file_handed(struct image_proto *s)
{
	uint64_t now = image_file_now(s);

	if (!s->file.busy_ns)
		s->file.busy_ns = now;
	return now - s->file.busy_ns < HANDOVER_MAX_NS;
}

/* image_file_open - on failure the timer of publications is set. */
static bool
image_file_open(struct image_proto *s)
{
	struct fib_file file = { .path = s->file.path, .mode = FILE_MODE };
	bool handed;
	int rc;

	rcu_sleep();
	rc = fib_open(s->fib, &file, image_file_real_now());
	rcu_wake();
	handed = rc == -EBUSY && image_file_handed(s);
	if (rc && !handed)
		image_file_fault(s,
		    rc == -EBUSY    ? IMAGE_FAULT_BUSY
		    : rc == -EEXIST ? IMAGE_FAULT_FOREIGN
				    : IMAGE_FAULT_OPEN,
		    rc);
	if (rc) {
		timer_set(&s->file.publish,
		    image_file_now(s) + (handed ? HANDOVER_NS : RETRY_NS));
		return false;
	}
	s->file.busy_ns = 0;
	s->file.open = true;
	s->file.published = false;
	if (file.found == FIB_FOUND_DAMAGED)
		proto_log(&s->p, LOG_C_WARN, "Replacing a damaged image: %s", file.path);
	return true;
}

static void
image_file_tell_first(struct image_proto *s)
{
	struct fib_stat st;

	s->file.published = true;
	store_relaxed32(&s->shown.waits, 0);
	fib_stat(s->fib, &st);
	proto_log(&s->p, LOG_C_INFO, "The image has %llu prefix%s of table %s",
	    (unsigned long long)st.prefix_cnt, plural(st.prefix_cnt, "", "es"),
	    table_name(channel_table(s->ch)));
	image_publish(&s->p);
}

/* image_file_lost - the file does not belong to the instance any more. */
static void
image_file_lost(struct image_proto *s)
{
	proto_log(&s->p, LOG_C_WARN,
	    "The file %s was removed, replaced or cut off: writing the image again",
	    s->file.path);
	counter64_bump(&s->shown.reopened, 1);
	image_file_close(s, true); /* marks the lost file, and leaves another file */
}

/* image_file_failed - the publication failed with @rc. A new file helps unless the disk
 * is full. */
static void
image_file_failed(struct image_proto *s, int rc)
{
	if (rc == -ENOENT && s->file.published) {
		image_file_lost(s);
		timer_set(&s->file.publish, image_file_now(s));
		return;
	}
	if (rc != -ENOSPC)
		image_file_close(s, false);
	image_file_fault(s, IMAGE_FAULT_WRITE, rc);
	timer_set(&s->file.publish, image_file_now(s) + RETRY_NS);
}

static void
image_file_publish(struct image_proto *s)
{
	bool pack;
	int rc;

	if (!s->file.open && !image_file_open(s))
		return;
	pack = !fib_dirty(s->fib) && fib_packs(s->fib);
	s->file.packs = false;
	rcu_sleep();
	rc = pack ? fib_pack(s->fib, image_file_real_now())
		  : fib_publish(s->fib, image_file_real_now());
	rcu_wake();
	if (rc) {
		image_file_failed(s, rc);
	} else {
		image_file_fault(s, IMAGE_OK, 0);
		counter64_set(&s->shown.behind_ns, 0);
		if (!s->file.published)
			image_file_tell_first(s);
		if (fib_packs(s->fib)) {
			s->file.packs = true;
			timer_set(&s->file.publish, image_file_now(s) + PACK_NS);
		}
	}
	image_look_hops(s);
	image_shown_update(s);
}

/* image_file_due - the earliest time of the next publication. */
static uint64_t
image_file_due(const struct image_proto *s)
{
	uint64_t now = image_file_now(s), last = s->file.synced_ns + SETTLE_MAX_NS;

	if (!load_relaxed32(&s->shown.waits))
		return now + PUBLISH_NS;
	return now + SETTLE_NS < last ? now + SETTLE_NS : last;
}

static void
image_publish_fires(struct timer *t)
{
	struct image_proto *s = image_of_worker(t->worker);

	if (!s->fib || !s->file.synced)
		return;
	/* the end of the look sets the timer again */
	if (load_relaxed32(&s->shown.waits) &&
	    (image_look_waits(s) || s->look.on || s->look.next))
		return;
	image_file_publish(s);
}

void
image_file_changed(struct image_proto *s)
{
	bool waits = load_relaxed32(&s->shown.waits);

	if (!s->fib || !s->file.synced)
		return;
	if (!waits && !fib_dirty(s->fib))
		return;
	if (!counter64_get(&s->shown.behind_ns))
		counter64_set(&s->shown.behind_ns, clock_now_ns());
	if (waits || s->file.packs || !timer_active(&s->file.publish))
		timer_set(&s->file.publish, image_file_due(s));
	s->file.packs = false;
}

void
image_file_synced(struct image_proto *s)
{
	if (s->file.synced)
		return;
	s->file.synced = true;
	s->file.synced_ns = image_file_now(s);
	image_file_changed(s);
}

/* ---- heartbeat ---- */

static void
image_beat_fires(struct timer *t)
{
	struct image_proto *s = image_of_worker(t->worker);
	int rc;

	if (!s->fib)
		return;
	timer_set(t, image_file_now(s) + BEAT_NS);
	image_shown_update(s);
	if (!s->file.open || !s->file.published)
		return;
	if (s->routes.lacking) /* the builder may have room by now */
		image_look_again(s, LOOK_LACKING);
	rcu_sleep();
	rc = fib_beat(s->fib, image_file_real_now());
	rcu_wake();
	if (rc != -ENOENT)
		return;
	image_file_lost(s);
	image_file_publish(s);
}

/* ---- life ---- */

void
image_file_start(struct image_proto *s)
{
	timer_init(&s->file.publish, &s->p.worker, image_publish_fires);
	timer_init(&s->file.beat, &s->p.worker, image_beat_fires);
}

static void
image_file_set_path(struct image_proto *s)
{
	mem_free(MEM_PROTO, s->file.path);
	s->file.path = mem_strdup(MEM_PROTO, image_conf_of(s)->filename);
	s->file.busy_ns = 0;
}

void
image_file_up(struct image_proto *s)
{
	s->file.synced = false;
	image_file_set_path(s);
	store_relaxed32(&s->shown.waits, 1);
	timer_set(&s->file.beat, image_file_now(s) + BEAT_NS);
	image_shown_update(s);
}

void
image_file_free(struct image_proto *s)
{
	mem_free(MEM_PROTO, s->file.path);
}

void
image_file_close(struct image_proto *s, bool remove)
{
	if (s->file.open) {
		rcu_sleep();
		fib_close(s->fib, remove);
		rcu_wake();
	}
	s->file.open = s->file.published = false;
}

void
image_file_moved(struct image_proto *s)
{
	bool written = s->file.published;

	if (!s->fib || !strcmp(s->file.path, image_conf_of(s)->filename))
		return;
	if (image_conf_writes(s->p.conf->conf, s->file.path)) {
		image_file_close(s, false); /* for another instance */
	} else {
		image_file_close(s, !image_conf_of(s)->persist);
		if (!written)
			image_file_sweep(s, s->file.path);
	}
	image_file_set_path(s);
	if (s->file.synced)
		timer_set(&s->file.publish, image_file_now(s));
}

void
image_file_sweep(struct image_proto *s, const char *path)
{
	const struct image_conf *conf = image_conf_of(s);
	struct fib_options o = { .family = channel_family(s->ch),
		.fields = conf->fields,
		.table = table_name(channel_table(s->ch)) };
	struct fib_file file = { .path = path, .mode = FILE_MODE };
	struct fib *f;

	if (conf->persist || s->p.life.stays_down)
		return;
	f = fib_new(&o);
	rcu_sleep();
	if (!fib_open(f, &file, image_file_real_now())) {
		bool left = file.found == FIB_FOUND_LEFT;
		/* the publication marks the image that an earlier life left */
		int rc = left ? fib_publish(f, image_file_real_now()) : 0;

		fib_close(f, left && !rc);
	}
	rcu_wake();
	fib_free(f);
}
