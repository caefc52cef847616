/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol rpki, and what the folder's files call of each other. All in
 * the instance's worker, unless said otherwise. */
#ifndef TERN_PROTO_RPKI_RPKI_PRIV_H
#define TERN_PROTO_RPKI_RPKI_PRIV_H

#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/rtr.h"
#include "nest/channel/proto.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"

#define RPKI_ADDR_MAX   8 /* addresses of a name that are tried */
#define RPKI_RX_CAP     65536 /* octets that a call reads at most */
#define RPKI_OUT_MAX    512 /* of queries and reports that wait for the socket */
#define RPKI_TABLES     3 /* kinds of channels: roa4, roa6, aspa */
#define RPKI_FIRST_KIND NLRI_ROA4

/* ---- the connection: rpki_link.c ---- */

enum link_state {
	LINK_CLOSED,
	LINK_RESOLVING, /* a thread asks for the addresses of the name */
	LINK_CONNECTING, /* TCP */
	LINK_SECURING, /* a thread talks SSH; its first line says how that went */
	LINK_UP,
};

/* What the thread that resolves a name answers. */
struct link_names {
	char error[96]; /* "": none */
	uint32_t cnt;
	struct ip_addr addr[RPKI_ADDR_MAX];
};

struct rpki_link {
	struct sock_tcp sock; /* with SSH, in the end, that to the thread */
	uint8_t state; /* enum link_state */
	int resolver; /* descriptor of the thread's answer; -1: none */
	struct watch answer;
	struct link_names names;
	bool fresh; /* they came between two tries, and none has used them */
	uint32_t name; /* the one that is tried */
	bool reads; /* what comes is wanted */
	uint8_t *part; /* octets of an unfinished PDU, or that came too early */
	uint32_t part_len;
	uint8_t out[RPKI_OUT_MAX];
	uint32_t out_len;
	char line[RPKI_TEXT_MAX]; /* what the SSH thread has said so far */
	uint32_t line_len;
	uint32_t life; /* counts connections, to notice a new one */
	struct timer soon; /* what waits in `part` is looked at, or `failed` is told */
	char failed[RPKI_TEXT_MAX]; /* "": nothing */
};

struct rpki_proto;

void link_init(struct rpki_proto *s);
/* link_open - it is closed; link_is_up or link_lost follows, never before this
 * returns. */
void link_open(struct rpki_proto *s);
/* link_close - no effect if it is closed. link_forget - after that: the addresses of its
 * name aren't wanted any more, neither those to come nor those that came. */
void link_close(struct rpki_proto *s);
void link_forget(struct rpki_proto *s);
/* link_send - what doesn't fit goes later. Errors are told by link_lost, later. */
void link_send(struct rpki_proto *s, const void *p, uint32_t len);
/* link_want - are octets taken? They are given to rpki_rx. */
void link_want(struct rpki_proto *s, bool read);

/* ---- an instance ---- */

/* A channel and what the cache has brought for it. */
struct rpki_chan {
	struct channel *ch; /* NULL: there is none of this kind */
	struct rpki_data data;
	bool again; /* all is to pass the import policy again */
	struct attr_set *plain; /* of VRPs; NULL: not made yet */
};

struct rpki_proto {
	struct proto p; /* first */
	struct rpki_chan chan[RPKI_TABLES]; /* by kind, from RPKI_FIRST_KIND on */
	struct rpki_link link;
	uint8_t state; /* enum rpki_state */
	bool enabled, disabled;
	bool detached; /* its channels are */
	/* what is known of the cache */
	uint8_t version; /* that we use, or begin with */
	bool negotiated; /* the cache has used it, too, on this connection */
	bool known; /* session and serial are good */
	bool serial_query; /* the last query was one */
	uint8_t known_version; /* the session id belongs to it */
	uint16_t session;
	uint32_t serial;
	struct rtr_times told; /* by the cache; 0: not yet */
	/* the event at hand */
	struct rtr_fault fault; /* what TELL says */
	const uint8_t *about; /* the PDU that it is about; NULL: none may be told */
	uint32_t about_len;
	uint8_t lower; /* version that DOWNGRADE goes to */
	bool acting; /* events that actions cause wait for their end */
	/* timers */
	struct timer retry, refresh, expire, more;
	uint32_t backoff_s; /* the next one; 0: from the start */
	uint32_t wait_s; /* the present one */
	uint64_t alive_ns; /* when octets last came */
	/* what the feed is about */
	bool feeding, told_all;
	uint32_t added, removed;
	struct arena arena;
	/* shown */
	char error[RPKI_TEXT_MAX];
	bool troubled; /* the log has it, and End of Data hasn't come since */
	struct log_rate said;
	struct pubptr snap; /* struct rpki_snap * */
	struct counter64 show_retry_ns, show_refresh_ns, show_expire_ns; /* 0: stopped */
	struct counter64 show_update_ns; /* the last End of Data; 0: none */
};

static inline struct rpki_proto *
rpki_of(struct proto *p)
{
	return (struct rpki_proto *)p;
}

static inline const struct rpki_conf *
rpki_conf(const struct rpki_proto *s)
{
	return rpki_conf_of(s->p.cf);
}

/* rpki_traces - is DEBUG_* @bit on? */
static inline bool
rpki_traces(const struct rpki_proto *s, uint32_t bit)
{
	return load_relaxed32(&s->p.debug) & bit;
}

/* rpki_event - what the machine says to it. */
void rpki_event(struct rpki_proto *s, enum rpki_event e);
/* rpki_fault - the same of a wrong PDU. @about NULL: the cache isn't told. */
void rpki_fault(
    struct rpki_proto *s, const struct rtr_fault *f, const uint8_t *about, uint32_t len);
/* rpki_note - why it is as it is, for the log and `show protocols`. */
void rpki_note(struct rpki_proto *s, const char *text);
/* rpki_refresh_s, ... - as configured, or as the cache has said. */
uint32_t rpki_refresh_s(const struct rpki_proto *s);
uint32_t rpki_retry_s(const struct rpki_proto *s);
uint32_t rpki_expire_s(const struct rpki_proto *s);

/* rpki_timers_init - once. rpki_timers_changed - the configuration has; before it, the
 * intervals were those. */
void rpki_timers_init(struct rpki_proto *s);
void rpki_timers_changed(struct rpki_proto *s, uint32_t refresh_s, uint32_t expire_s);
/* rpki_channels_up - those that aren't. */
void rpki_channels_up(struct rpki_proto *s);
/* rpki_try_gone - all channels are detached, and the data is freed: it ends. */
void rpki_try_gone(struct rpki_proto *s);

/* link_is_up, link_lost - from the connection. @text: why. */
void link_is_up(struct rpki_proto *s);
void link_lost(struct rpki_proto *s, const char *text);

/* rpki_rx - octets of the cache. Returns: how many were used; the rest belongs to an
 * unfinished PDU, or comes again when link_want(true) was called. */
uint32_t rpki_rx(struct rpki_proto *s, const uint8_t *p, uint32_t len);

/* rpki_feed - tell the tables what they don't know yet, as far as they take it, and free
 * what was dropped, some of it. When all is done, reading goes on. */
void rpki_feed(struct rpki_proto *s);
/* rpki_feed_stop - what hasn't been told is dropped, with all data, the tables being told
 * nothing: the channels are going down. */
void rpki_feed_stop(struct rpki_proto *s);
/* rpki_feed_forget - attributes that the configuration has changed. */
void rpki_feed_forget(struct rpki_proto *s);
/* rpki_records - that the tables have of this cache. */
uint32_t rpki_records(const struct rpki_proto *s);

/* rpki_say - the log's line about a step on @e from @before, if it is one into trouble;
 * _recovered - the cache has sent all; _version - @why another version is spoken. */
void rpki_say(struct rpki_proto *s, enum rpki_state before, enum rpki_event e,
    const struct rpki_step *st);
void rpki_say_recovered(struct rpki_proto *s);
void rpki_say_version(struct rpki_proto *s, const char *why, unsigned version);

/* rpki_publish - status row and snapshot. */
void rpki_publish(struct rpki_proto *s);
void rpki_snap_free(struct rpki_proto *s);
/* rpki_show, rpki_json, rpki_data_age - any thread under RCU. */
bool rpki_data_age(const struct proto *p, uint64_t *ago_ns, bool *late);
bool rpki_away(const struct proto *p, uint64_t *ago_ns);
void rpki_show(const struct proto *p, const struct time_format *tf, struct strbuf *out);
void rpki_json(const struct proto *p, struct json *j);

#endif
