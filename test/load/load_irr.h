/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of prefixes as exchanges make them of the registries (--irr): many more than are
 * announced, and at each reload a tenth of the clients has a hundredth of its list
 * replaced. */
#ifndef TERN_TEST_LOAD_IRR_H
#define TERN_TEST_LOAD_IRR_H

#include "test/load/load_run.h"

/* All routes are given the community (the server's AS, LOAD_IRR_MARK and the number of
 * reloads). */
#define LOAD_IRR_MARK 1000

/* load_irr_size - how many prefixes @client's list has: from a tenth of the mean to four
 * times that. */
uint32_t load_irr_size(const struct load_run *r, uint32_t client);
/* load_irr_apply - in the model, lists and community are those after @reloads; the caller
 * decides all anew. */
void load_irr_apply(struct load_run *r, uint32_t reloads);
/* load_irr_is_steady - is @route in its client's list after any number of reloads up to
 * 500? */
bool load_irr_is_steady(const struct load_run *r, uint32_t route);
/* load_irr_print - @client's list in order of prefixes, divided by commas. */
void load_irr_print(const struct load_run *r, uint32_t client);

#endif
