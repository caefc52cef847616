/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of an instance for `show protocols all`, and its fault for `show status`.
 *
 * Loop: image_shown_update and image_say in the instance's worker; all other functions in
 * any thread, under RCU. Tested by test/net/test_image.py and test/net/test_json.py. */
#include "proto/image/image_priv.h"

#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/fib/fib_build.h"
#include "lib/mt/atomic.h"
#include "nest/channel/proto.h"
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
image_say(struct image_proto *s)
{
	enum proto_state state = !s->fib                           ? PS_DOWN
				 : load_relaxed32(&s->shown.waits) ? PS_START
								   : PS_UP;

	proto_publish(&s->p, state, s->disabled,
	    state == PS_START ? "Waiting for the routes of the table" : "", NULL);
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
image_show_size(const struct image_proto *s, struct strbuf *out)
{
	const struct image_shown *o = &s->shown;
	unsigned long long milli = show_milli(s);

	strbuf_addf(out, "  Prefixes:         %llu, %llu.%02llu octets each\n",
	    show_counter(&o->prefixes), milli / 1000, milli % 1000 / 10);
	strbuf_addf(out, "  Next hops:        %llu\n", show_counter(&o->hops));
	strbuf_addf(out, "  Origin ASes:      %llu\n", show_counter(&o->origins));
	strbuf_addf(out, "  Attribute sets:   %llu\n", show_counter(&o->attrs));
	strbuf_addf(out,
	    "  Image memory:     %llu octets of routes, %llu of attributes\n",
	    show_counter(&o->image_octets), show_counter(&o->side_octets));
	strbuf_addf(
	    out, "  Builder memory:   %llu octets\n", show_counter(&o->builder_octets));
	strbuf_addf(out, "  Fragments:        %llu, %llu octets\n",
	    show_counter(&o->holes), show_counter(&o->idle_octets));
}

void
image_show_lines(const struct proto *p, const struct time_format *tf, struct strbuf *out)
{
	const struct image_proto *s = (const struct image_proto *)p;
	const struct image_conf *conf = proto_conf_get(p)->opt;
	const struct image_shown *o = &s->shown;
	uint64_t lag = show_lag_ns(s);

	(void)tf;
	strbuf_addf(out, "  Image file:       %s\n", conf->filename);
	strbuf_addf(out, "  Image state:      %s\n", image_show_state(s));
	if (proto_status_get(p)->state == PS_DOWN)
		return;
	strbuf_addf(out, "  Generation:       %llu\n", show_counter(&o->generation));
	strbuf_addf(out, "  Lag:              %llu.%03llu s\n",
	    (unsigned long long)(lag / NS_PER_S),
	    (unsigned long long)(lag % NS_PER_S / NS_PER_MS));
	image_show_size(s, out);
	strbuf_addf(out, "  Publications:     %llu, %llu failed\n",
	    show_counter(&o->published), show_counter(&o->failed));
	strbuf_addf(out, "  Full rebuilds:    %llu\n", show_counter(&o->rebuilt));
	strbuf_addf(out, "  Chunks written:   %llu, %llu octets\n",
	    show_counter(&o->chunks_written), show_counter(&o->octets_written));
	strbuf_addf(out, "  Chunks moved:     %llu\n", show_counter(&o->chunks_moved));
	strbuf_addf(out, "  File lost:        %llu times\n", show_counter(&o->reopened));
}

void
image_show_json(const struct proto *p, struct json *j)
{
	const struct image_proto *s = (const struct image_proto *)p;
	const struct image_conf *conf = proto_conf_get(p)->opt;
	const struct image_shown *o = &s->shown;

	json_open(j, "image");
	json_str(j, "file", conf->filename);
	json_str(j, "state", image_show_state(s));
	if (proto_status_get(p)->state != PS_DOWN) {
		json_u64(j, "generation", show_counter(&o->generation));
		json_seconds(j, "lag_s", show_lag_ns(s));
		if (show_counter(&o->last_ns))
			json_seconds(j, "published_unix_s", counter64_get(&o->last_ns));
		json_u64(j, "prefixes", show_counter(&o->prefixes));
		/* a number with three decimals */
		json_seconds(j, "octets_per_prefix", show_milli(s) * NS_PER_MS);
		json_u64(j, "next_hops", show_counter(&o->hops));
		json_u64(j, "origin_ases", show_counter(&o->origins));
		json_u64(j, "attribute_sets", show_counter(&o->attrs));
		json_u64(j, "lacking_sets", show_counter(&o->lacking));
		json_u64(j, "image_octets", show_counter(&o->image_octets));
		json_u64(j, "attribute_octets", show_counter(&o->side_octets));
		json_u64(j, "waiting_octets", show_counter(&o->waiting_octets));
		json_u64(j, "builder_octets", show_counter(&o->builder_octets));
		json_u64(j, "fragments", show_counter(&o->holes));
		json_u64(j, "fragment_octets", show_counter(&o->idle_octets));
		json_u64(j, "publications", show_counter(&o->published));
		json_u64(j, "publications_failed", show_counter(&o->failed));
		json_u64(j, "full_rebuilds", show_counter(&o->rebuilt));
		json_u64(j, "chunks_written", show_counter(&o->chunks_written));
		json_u64(j, "octets_written", show_counter(&o->octets_written));
		json_u64(j, "chunks_moved", show_counter(&o->chunks_moved));
		json_u64(j, "file_lost", show_counter(&o->reopened));
	}
	json_close(j);
}
