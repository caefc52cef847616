/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of an instance for `show protocols all`, and its fault for `show status`.
 *
 * Loop: image_shown_update and image_publish in the instance's worker; all other
 * functions in any thread, under RCU. Tested by test/net/test_image.py and
 * test/net/test_json.py. */
#include "proto/image/image_priv.h"

#include "lib/base/strbuf.h"
#include "lib/fib/fib_build.h"
#include "lib/mt/atomic.h"
#include "nest/channel/proto.h"
#include "nest/core/reply.h"
#include "sysdep/os/clock.h"

#include <string.h>

static unsigned long long
show_counter(const struct counter64 *c)
{
	return counter64_get(c);
}

void
image_shown_update(struct image_proto *s)
{
	struct image_shown *o = &s->shown;
	struct fib_stat st;

	if (!s->fib)
		return;
	fib_stat(s->fib, &st);
	counter64_set(&o->generation, st.generation);
	counter64_set(&o->prefixes, st.prefix_cnt);
	counter64_set(&o->hops, st.hop_cnt);
	counter64_set(&o->origins, st.origin_cnt);
	counter64_set(&o->attrs, st.attr_cnt);
	counter64_set(&o->image_octets, st.image_octets);
	counter64_set(&o->side_octets, st.side_octets);
	counter64_set(&o->idle_octets, st.idle_octets);
	counter64_set(&o->holes, st.holes);
	counter64_set(&o->waiting_octets, st.waiting_octets);
	counter64_set(&o->builder_octets, st.builder_octets);
	counter64_set(&o->published, st.published);
	counter64_set(&o->rebuilt, st.rebuilt);
	counter64_set(&o->chunks_written, st.chunks_written);
	counter64_set(&o->octets_written, st.octets_written);
	counter64_set(&o->chunks_moved, st.chunks_moved);
	counter64_set(&o->failed, st.failed);
	counter64_set(&o->last_ns, st.last_ns);
	counter64_set(&o->lacking, s->routes.lacking);
}

void
image_publish(struct proto *p)
{
	struct image_proto *s = image_of(p);
	enum proto_state state = !s->fib                           ? PS_DOWN
				 : load_relaxed32(&s->shown.waits) ? PS_START
								   : PS_UP;

	proto_publish(p, state, p->life.disabled,
	    state == PS_START ? "Waiting for the routes of the table" : "",
	    p->life.message);
}

/* ---- faults ---- */

static const char *
show_fault_text(enum image_fault f)
{
	switch (f) {
	case IMAGE_FAULT_BUSY:
		return "another process writes the file";
	case IMAGE_FAULT_FOREIGN:
		return "the file is not an image and stays as is";
	case IMAGE_FAULT_OPEN:
		return "can't make the file";
	default:
		return "can't write the file";
	}
}

void
image_trouble_text(const struct proto *p, struct strbuf *out)
{
	const struct image_proto *s = (const struct image_proto *)p;
	const struct image_conf *conf = proto_conf_get(p)->opt;
	uint32_t fault = load_relaxed32(&s->shown.fault);
	enum image_fault f = (enum image_fault)(fault >> 16);

	if (f == IMAGE_FAULT_OPEN || f == IMAGE_FAULT_WRITE)
		strbuf_addf(out, "%s: %s: %s", conf->filename, show_fault_text(f),
		    strerror((int)(fault & 0xffff)));
	else if (f)
		strbuf_addf(out, "%s: %s", conf->filename, show_fault_text(f));
	else if (show_counter(&s->shown.lacking))
		strbuf_addf(out,
		    "%s: the image is full, so %llu attribute sets lack facts",
		    conf->filename, show_counter(&s->shown.lacking));
}

/* ---- numbers ---- */

static uint64_t
show_lag_ns(const struct image_proto *s)
{
	uint64_t since = counter64_get(&s->shown.behind_ns), now = clock_now_ns();

	return since && now > since ? now - since : 0;
}

/* show_milli - 1,000 times the octets of the image for each prefix. */
static unsigned long long
show_milli(const struct image_proto *s)
{
	uint64_t cnt = counter64_get(&s->shown.prefixes);

	return cnt ? counter64_get(&s->shown.image_octets) * 1000 / cnt : 0;
}

static const char *
image_show_state(const struct image_proto *s)
{
	return proto_status_get(&s->p)->state == PS_DOWN ? "down"
	       : load_relaxed32(&s->shown.fault)         ? "failed"
	       : load_relaxed32(&s->shown.waits)         ? "waiting"
							 : "published";
}

static void
image_reply_size(const struct image_proto *s, struct reply *r)
{
	const struct image_shown *o = &s->shown;
	unsigned long long milli = show_milli(s);

	reply_u64(r, "prefixes", "  Prefixes:         %s", show_counter(&o->prefixes));
	/* a number with three decimals */
	reply_seconds(r, "octets_per_prefix", NULL, milli * NS_PER_MS);
	reply_text(r, ", %llu.%02llu octets each\n", milli / 1000, milli % 1000 / 10);
	reply_u64(r, "next_hops", "  Next hops:        %s\n", show_counter(&o->hops));
	reply_u64(
	    r, "origin_ases", "  Origin ASes:      %s\n", show_counter(&o->origins));
	reply_u64(
	    r, "attribute_sets", "  Attribute sets:   %s\n", show_counter(&o->attrs));
	reply_u64(r, "lacking_sets", NULL, show_counter(&o->lacking));
	reply_u64(r, "image_octets", "  Image memory:     %s octets of routes, ",
	    show_counter(&o->image_octets));
	reply_u64(
	    r, "attribute_octets", "%s of attributes\n", show_counter(&o->side_octets));
	reply_u64(r, "waiting_octets", NULL, show_counter(&o->waiting_octets));
	reply_u64(r, "builder_octets", "  Builder memory:   %s octets\n",
	    show_counter(&o->builder_octets));
	reply_u64(r, "fragments", "  Fragments:        %s, ", show_counter(&o->holes));
	reply_u64(r, "fragment_octets", "%s octets\n", show_counter(&o->idle_octets));
}

/* image_reply_work - the values of an instance that is not down. */
static void
image_reply_work(const struct image_proto *s, struct reply *r)
{
	const struct image_shown *o = &s->shown;

	reply_u64(
	    r, "generation", "  Generation:       %s\n", show_counter(&o->generation));
	reply_seconds(r, "lag_s", "  Lag:              %s s\n", show_lag_ns(s));
	if (show_counter(&o->last_ns))
		reply_seconds(r, "published_unix_s", NULL, counter64_get(&o->last_ns));
	image_reply_size(s, r);
	reply_u64(
	    r, "publications", "  Publications:     %s, ", show_counter(&o->published));
	reply_u64(r, "publications_failed", "%s failed\n", show_counter(&o->failed));
	reply_u64(
	    r, "full_rebuilds", "  Full rebuilds:    %s\n", show_counter(&o->rebuilt));
	reply_u64(r, "chunks_written", "  Chunks written:   %s, ",
	    show_counter(&o->chunks_written));
	reply_u64(r, "octets_written", "%s octets\n", show_counter(&o->octets_written));
	reply_u64(r, "chunks_moved", "  Chunks moved:     %s\n",
	    show_counter(&o->chunks_moved));
	reply_u64(
	    r, "file_lost", "  File lost:        %s times\n", show_counter(&o->reopened));
}

void
image_reply(const struct proto *p, struct reply *r)
{
	const struct image_proto *s = (const struct image_proto *)p;
	const struct image_conf *conf = proto_conf_get(p)->opt;

	reply_open(r, "image");
	reply_str(r, "file", "  Image file:       %s\n", conf->filename);
	reply_str(r, "state", "  Image state:      %s\n", image_show_state(s));
	if (proto_status_get(p)->state != PS_DOWN)
		image_reply_work(s, r);
	reply_close(r);
}
