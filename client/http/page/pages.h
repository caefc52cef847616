/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that write the pages of the looking glass. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_PAGE_PAGES_H
#define TERN_CLIENT_HTTP_PAGE_PAGES_H

#include "client/http/job/job.h"

/* The members of all servers; a member and lists of its routes; a prefix; a community;
 * the caches of RPKI; overrides and drains; what has changed. */
extern const struct view page_home_view;
extern const struct view page_member_view;
extern const struct view page_net_view;
extern const struct view page_community_view;
extern const struct view page_rpki_view;
extern const struct view page_overrides_view;
extern const struct view page_changes_view;

#endif
