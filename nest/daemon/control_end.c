/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of the daemon: instances end first, then tables, then the last workers. Loop:
 * the control worker's. Tested by test/unit/test_control.c. */
#include "nest/channel/proto.h"
#include "nest/daemon/control_priv.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include <signal.h>

void
control_show_gone(struct control *c)
{
	struct list *n, *tmp;

	if (c->end.shut && list_empty(&c->instances))
		list_for_each_safe (n, tmp, &c->tables)
			commit_drop_table(c, container_of(n, struct table_slot, link));
	publish_view(c);
	list_for_each_safe (n, tmp, &c->end.instances) {
		list_del(n);
		proto_unlisted(container_of(n, struct proto, link));
	}
}

void
control_shut_down(struct control *c, const char *message)
{
	if (c->end.shut)
		return;
	c->end.stopping = c->end.shut = true;
	store_release32(&c->tern->shutting_down, 1); /* pairs: SHUTDOWN */
	log_msg(LOG_C_INFO, "Shutting down");
	timer_cancel(&c->undo.timer);
	timer_cancel(&c->members.age);
	control_sockets_close(c);
	commit_shutdown(c, message);
	if (list_empty(&c->instances))
		control_show_gone(c);
}
