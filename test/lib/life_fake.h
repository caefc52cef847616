/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that proto_life.c calls, for tests with sessions but without channels of a
 * table: the list of channels is empty, and no request waits for the instance. Loop: the
 * instance's. */
#ifndef TERN_TEST_LIB_LIFE_FAKE_H
#define TERN_TEST_LIB_LIFE_FAKE_H

#include "nest/channel/channel.h"
#include "nest/channel/proto.h"

void
proto_detach(struct proto *p)
{
	(void)p;
}

void
proto_settled(struct proto *p)
{
	(void)p;
}

struct channel *
channel_next(const struct channel *ch)
{
	(void)ch;
	return NULL;
}

#endif
