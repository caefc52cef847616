/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the control plane: nest/daemon and proto/program.c. Owner: the control
 * worker, but for `reader` and `custom`, which are the conf worker's after start. */
#ifndef TERN_NEST_CONTROL_PRIV_H
#define TERN_NEST_CONTROL_PRIV_H

#include "filter/run/custom.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "nest/daemon/state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/signal.h"
#include "sysdep/os/os.h"

/* A control socket. */
struct control_socket {
	char *path;
	bool restricted;
	int fd; /* while sv is NULL */
	uint64_t inode; /* of its file */
	struct cli_server *sv; /* NULL: bound, and opened by the next commit */
};

struct asking;

/* A mask that the next instance has, whatever is configured, if it has been @said. */
struct said {
	bool said;
	uint32_t mask;
};

/* An instance by name: the one that runs, or that is going before a new one takes its
 * place. */
struct instance {
	struct list link;
	struct htab_node by_name; /* in control->instance_names */
	struct proto *p; /* NULL: none any more (or not yet) */
	char *name;
	struct config_ref *conf; /* a reference: what p was told last */
	const struct conf_proto *cf;
	uint64_t place; /* of struct proto: all of this name have it */
	/* p has been told to go: what follows is about the next one, if it is
	 * configured */
	bool deleting;
	bool down; /* disabled, by the configuration or an operator */
	/* by an operator since then, in seconds since 1970: a configuration
	 * doesn't enable it; 0: it isn't */
	uint32_t held;
	bool limited; /* the same by a limit: `revive after limit off` */
	bool revived; /* by the configuration that is being committed */
	/* CONF_CH_* from cf to what the plan is about (control->planned) */
	uint32_t change;
	/* while deleting, by an operator: what goes to the log, and to the MRT file */
	struct said debug, mrtdump;
	/* the same, or while held: of his `disable`; NULL: none. MEM_CONFIG */
	char *message;
	struct asking *asking; /* control_wait.c; NULL: nobody waits for it */
	/* members.c: made for a member of: */
	struct instance *host; /* NULL: it is configured itself, or is going */
	struct list of_host; /* in host->members */
	struct ip_addr addr; /* the member's */
	struct ip_addr local; /* ours, that it came to first */
	char *iface; /* likewise; MEM_CONFIG, or NULL */
	bool was_up; /* its session came up once */
	bool leaves; /* deleting, and not to be made anew */
	struct list members; /* struct instance, by of_host */
	uint32_t member_cnt; /* of them */
	uint32_t member_nr; /* in the name of the last one */
	uint64_t full_said_ns; /* when it was logged that one can't be made */
	uint64_t refused_said_ns; /* ... that it is disabled, and its peer came */
};

struct table_slot {
	struct list link; /* of control->tables or control->dropped */
	struct tern_table named; /* until it is dropped */
	struct table *t;
	struct rpki_index *rpki; /* of a ROA or ASPA table; else NULL */
	struct match_index *match; /* NULL: none is asked for */
	char *name;
	uint8_t kind;
};

/* Who is waited for after `-R`: recovery.c. */
struct recovery_wait {
	uint32_t waits[FAM_CNT]; /* channels */
	uint8_t keeps; /* 1 << family of each that any peer is asked to keep */
	uint8_t settling; /* of each in which pipes are still asked */
	bool joining; /* instances are still being made */
	uint32_t round, rounds; /* of asking pipes */
	uint32_t pipes_out, sessions_out; /* questions under way */
	struct timer wait;
};

struct control {
	struct worker worker;
	struct worker reader; /* parses configurations */
	struct tern *tern;
	struct custom_registry custom;
	const struct conf_class **conf_classes;
	struct list instances, tables;
	struct list gone; /* struct proto: in the view until the turn ends */
	struct list dropped; /* struct table_slot: told to go with the next view */
	/* Each instance's name is looked up several times a commit. */
	struct htab instance_names;
	struct config_ref *conf,
	    *prev; /* references; `undo` goes to prev; NULL: nowhere */
	/* reference; NULL unless the timer `undo` is set: the last that was confirmed, to
	 * which it goes */
	struct config_ref *safe;
	uint64_t conf_time_ns;
	char *conf_bad; /* why the last `configure` failed; NULL: it didn't. MEM_CONFIG */
	uint64_t conf_bad_ns; /* when */
	const struct config *planned; /* control_plan was called for it; else NULL */
	struct timer undo;
	uint64_t undo_said_ns; /* when it was last logged that it has to wait */
	struct timer trim; /* the reader's: gives free memory back to the system */
	struct os_trim trimmed; /* the reader's */
	struct signal_watch signals;
	/* the command line's first; those of the configuration, maybe of two */
	struct control_socket cli[1 + 2 * CONF_CLI_MAX];
	unsigned cli_cnt;
	/* closed when the command is answered */
	struct cli_server *cli_old[CONF_CLI_MAX];
	unsigned cli_old_cnt;
	const char *state_path; /* NULL: no state is kept; constant after start */
	struct state state;
	char *state_bad; /* what is wrong with the file; NULL: nothing. MEM_CONFIG */
	bool state_dirty; /* the file lacks a change of `state` */
	bool state_broken; /* the file is to be moved away before it is written */
	bool state_newer; /* the file is of a later version */
	/* why the log isn't where the last commit wanted it; NULL: it is. MEM_OTHER */
	char *log_bad;
	bool foreground_log; /* -d: log to stderr whatever the configuration says */
	const char *debug_file; /* -D */
	uint64_t nofile;
	uint32_t member_cnt; /* instances made for members */
	struct timer age; /* looks for those that are to go */
	bool grown; /* one has been made: the view lacks it */
	uint32_t ifaces_nr; /* of interfaces, when the last view was published */
	bool hears; /* signals, from the first commit on; constant */
	bool stopping; /* nothing is to be changed any more */
	bool shut; /* control_shut_down was called */
	bool recovers; /* `-R`; constant */
	struct recovery_wait recovery;
	struct latch *all_gone;
	/* opened when the first commit is done; NULL: nobody waits */
	struct latch *started;
};

/* control_name_hash - under which a name stands in instance_names. */
static inline uint64_t
control_name_hash(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

/* control_down - the command. It is answered before control sockets close. */
void control_down(struct control *c, TAKE struct control_req *r);
/* control_shut_down - let everything go. @message: to peers; may be NULL. */
void control_shut_down(struct control *c, const char *message);
/* Of tern.control_ops. */
extern const struct control_ops control_plane_ops;
/* control_start - @first: the configuration to start with
 * (TAKE), committed in the control worker. */
void control_start(struct control *c, struct tern *t, TAKE struct config *first);

/* ---- recovery.c ---- */
void recovery_init(struct control *c);
/* recovery_begin - before the first commit, after `-R`. recovery_joined - after it. */
void recovery_begin(struct control *c);
void recovery_joined(struct control *c);
/* recovery_leave - end the daemon so that peers keep its routes. */
void recovery_leave(struct control *c);

/* ---- plan.c ---- */
/* What becomes of an instance's being disabled. */
struct plan_switch {
	bool was, down; /* disabled until now; from now on */
	bool limited; /* struct instance */
};
struct plan_switch plan_switch(const struct instance *in, const struct conf_proto *cf);
/* control_plan - what committing @conf does, a line for each object, into @r. It is to be
 * committed next, if at all. */
void control_plan(
    struct control *c, const struct config *conf, bool soft, struct control_req *r);

/* plan_revived - say who was disabled, and isn't by what has just been committed; @r
 * waits for them. */
void plan_revived(struct control *c, struct control_req *r);

/* ---- control_conf.c ---- */
/* control_conf_failed - remember the last line of @r's answer, for who looks later. */
void control_conf_failed(struct control *c, const struct control_req *r);
/* control_conf_warn - lines of @text, to who asked and to the log. */
void control_conf_warn(struct control_req *r, const char *text);
/* control_conf_status - of `configure status`. */
void control_conf_status(struct control *c, struct control_req *r);

/* ---- control_state.c ---- */
/* control_state_load - before the first commit; main's. */
void control_state_load(struct control *c);
void control_state_fini(struct control *c);
/* control_state_take - @in is about to be made: what the file says of it. */
void control_state_take(const struct control *c, struct instance *in);
/* control_state_note - what was said of @in may have changed. */
void control_state_note(struct control *c, const struct instance *in);
/* control_state_save - write the file if it lacks something; @r (may be NULL) gets a line
 * if that fails. */
void control_state_save(struct control *c, struct control_req *r);

/* ---- control_act.c ---- */
/* control_act - carry out @r, which is about instances; it is answered when they have
 * done it. */
void control_act(struct control *c, TAKE struct control_req *r);

/* ---- control_log.c ---- */
/* commit_log - log where @conf says. Returns: 0, or negative errno and which file in
 * *@bad. */
int commit_log(struct control *c, const struct config *conf, const char **bad);
/* control_log_to - commit_log, while the daemon runs.
 * Returns: NULL, or (MEM_OTHER) why the log stays as it was, which has been logged. */
OWNED char *control_log_to(struct control *c, const struct config *conf);
/* control_log_reopen - the files of the log have been moved away: make new ones. */
void control_log_reopen(struct control *c, struct control_req *r);
/* control_log_state - what an operator asks for by a signal: class info, which every log
 * has. */
void control_log_state(struct control *c);

/* ---- control_wait.c ---- */
/* control_wait_for - @r is answered when @in has done what it was told so far
 * (proto_ask); or after a second, and then it says so. It ends with CLI_DONE, unless it
 * is about a configuration, and says itself how that went. */
void control_wait_for(struct control *c, struct control_req *r, struct instance *in);
/* control_wait_launched - who waits for the next instance of @in has it now (in->p), or
 * there is none. */
void control_wait_launched(struct instance *in);

/* ---- control_cli.c ---- */
/* control_socket_bind - one more; the first is the command line's. Opened by the next
 * commit. Returns: 0 or negative errno (sock_unix_bind). */
MUST_CHECK int control_socket_bind(struct control *c, const char *path, bool restricted);
/* control_sockets_bind - those of @conf that aren't there yet. Returns: 0, or negative
 * errno and which in *@bad; then control_sockets_unbind must follow. */
MUST_CHECK int control_sockets_bind(
    struct control *c, const struct config *conf, const char **bad);
/* control_sockets_unbind - those that wait for a commit, which won't come. */
void control_sockets_unbind(struct control *c);
/* control_sockets_plan - @say each that will come, go, or have other rights. */
void control_sockets_plan(struct control *c, const struct config *conf,
    void (*say)(void *arg, const char *path, const char *what), void *arg);
/* control_sockets_commit - open, restrict and drop as @conf says. */
void control_sockets_commit(struct control *c, const struct config *conf);
/* control_sockets_tell - log @text, and send the text to all clients, unasked. */
void control_sockets_tell(struct control *c, enum log_class class, const char *text);
/* control_sockets_close_dropped - with all their clients, when the answer is out. */
void control_sockets_close_dropped(struct control *c);
/* control_sockets_close - all of them, for good. */
void control_sockets_close(struct control *c);

/* ---- view.c ---- */
/* publish_view - of what there is now. */
void publish_view(struct control *c);

/* ---- commit.c ---- */
/* commit_drop_table - the table isn't in the next view, and is told to go when that is
 * published. */
void commit_drop_table(struct control *c, TAKE struct table_slot *ts);
/* commit - make @ref (TAKE) the running configuration. @soft: don't refilter.
 * Returns: whether something must restart first (it goes on by itself). */
bool commit(struct control *c, TAKE struct config_ref *ref, bool soft);
/* commit_check - what only a running daemon can refuse. Returns: NULL, or text in @b. */
const char *commit_check(struct control *c, const struct config *conf, struct strbuf *b);
/* commit_room - is there room for one more instance? Returns: NULL, or what is missing.
 */
const char *commit_room(const struct control *c);
/* instance_new - a place for one of a new name. */
struct instance *instance_new(struct control *c, const char *name);
/* places_behind - for each instance of @conf, by index: the place of the next instance
 * behind it that is there; 0: no such instance. MEM_CONFIG. place_between - the place of
 * a new instance behind the place @before (0: the instance is the first) and before
 * @behind (0: the instance is the last). Instances that change places in the file keep
 * theirs, so @behind may be lower than @before. place_again - of an instance of this name
 * that is there: a new place, if the instance is going and a new one follows. places.c */
OWNED uint64_t *places_behind(const struct control *c, const struct config *conf);
uint64_t place_between(uint64_t before, uint64_t behind);
uint64_t place_again(struct instance *in, uint64_t before, uint64_t behind);
/* instance_launch - make the one that @in is for, and start it unless it is down. @cf:
 * its configuration, which lies in @ref. */
void instance_launch(struct control *c, struct instance *in, struct config_ref *ref,
    const struct conf_proto *cf);
/* instance_delete - tell it to go. */
void instance_delete(struct instance *in, enum proto_reason why, const char *message);
/* instance_gone - its worker is gone: make the next one of this name, if one is
 * configured. Returns: whether it was one of ours, and so is in the view; then the caller
 * publishes another. */
bool instance_gone(struct control *c, const struct proto *p);
void commit_shutdown(struct control *c, const char *message);
struct table_slot *table_find_slot(struct control *c, const char *name);
struct instance *instance_find(const struct control *c, const char *name);
/* instance_conf - what @conf says about @in; as members_conf. */
OWNED struct config_ref *instance_conf(const struct conf_proto **cf,
    const struct instance *in, const struct config *conf, struct config_ref *ref);

/* ---- members.c ---- */

void members_init(struct control *c);
/* members_conf - what @conf says about the instance @in, which was made for a member.
 * @ref: of @conf, which gets a reference; NULL: @conf lives long enough. Returns: a
 * reference, and the instance's part in *@cf; NULL: it isn't there for it any more. */
OWNED struct config_ref *members_conf(const struct conf_proto **cf,
    const struct instance *in, const struct config *conf, struct config_ref *ref);
/* members_listed - is @in, whose name isn't configured, shown behind its host? */
bool members_listed(const struct control *c, const struct instance *in);
/* members_part - @in is configured itself from now on, or ends: it has neither host nor
 * members. */
void members_part(struct control *c, struct instance *in);

/* ---- control_iface.c ---- */

/* control_ifaces_start - follow the interfaces from now on. */
void control_ifaces_start(struct tern *t);
/* control_ifaces_viewed - @v has just been published: no instance in it misses a change.
 */
void control_ifaces_viewed(struct control *c, const struct tern_view *v);

#endif
