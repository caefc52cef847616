/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Previews for clients, and for guards on results. Only files of nest/daemon include the
 * header. Loop: the control worker's. */
#ifndef TERN_NEST_DAEMON_CONTROL_PREVIEW_H
#define TERN_NEST_DAEMON_CONTROL_PREVIEW_H

#include "lib/base/check.h"

struct config;
struct config_ref;
struct control;
struct control_req;
struct msg;
struct worker;

/* ---- control_preview.c ---- */
/* control_preview - answer @r, a request for a preview. */
void control_preview(struct control *c, struct control_req *r);
/* control_preview_start - give @r a preview of its configuration, which moves into the
 * preview. control_plan describes the instances to the preview. */
void control_preview_start(struct control *c, struct control_req *r);

/* ---- control_result.c ---- */
/* control_result_waits - the guards on results of @r's configuration need a preview: the
 * worker of the reader looks at the routes, then posts @r, whose handler is @then, to the
 * control worker. Returns: false: no such guard, or the preview is complete. */
bool control_result_waits(struct control *c, struct control_req *r,
    void (*then)(struct worker *w, TAKE struct msg *m));
/* control_result_check - apply the guards to the preview of @r, if any. Returns: false:
 * the configuration is refused, and the answer has ended. */
bool control_result_check(struct control_req *r);
/* control_result_conf - the configuration of @r, which may lie in a preview; NULL: none.
 * control_result_take - take the configuration, and free the preview. */
const struct config *control_result_conf(const struct control_req *r);
OWNED struct config_ref *control_result_take(struct control_req *r);
/* control_result_drop - free the preview of @r, if any. */
void control_result_drop(struct control_req *r);

/* control_preview_release - answer @r with a preview of the running configuration in
 * which the members of the pattern are out of quarantine. The answer has no plan. */
void control_preview_release(struct control *c, struct control_req *r);

#endif
