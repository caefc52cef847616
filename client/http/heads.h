/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heads_add adds the HTTP headers of an answer. Loop: the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_HEADS_H
#define TERN_CLIENT_HTTP_HEADS_H

#include "client/http/job/job.h"

struct MHD_Response;

/* heads_add - the headers of the answer @r of @j, whose status is known. */
void heads_add(const struct job *j, struct MHD_Response *r);

#endif
