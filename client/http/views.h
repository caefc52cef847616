/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choice of the view that answers a request. Loop: the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_VIEWS_H
#define TERN_CLIENT_HTTP_VIEWS_H

#include "client/http/job/job.h"

/* views_choose - parse the request target of @j, and choose the view. A wrong request
 * gets a view that says why; a search gets the location of its page. */
void views_choose(struct job *j);

#endif
