/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API, version 1: the daemon's lines of JSON in an envelope. Loop: the only thread
 * of ternhttp.
 *
 *   {"servers":[{"server":"rs1","objects":[LINE,...],"reply":REPLY}]}
 *
 * REPLY has `state`, `age_s` and, of an answer, `code` and `message`. A server that does
 * not answer has the state "away", and no objects or old objects. */
#ifndef TERN_CLIENT_HTTP_API_API_H
#define TERN_CLIENT_HTTP_API_API_H

#include "client/http/job/job.h"

extern const struct view api_view;

#endif
