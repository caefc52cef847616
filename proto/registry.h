/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all protocols of the daemon. Constant. Loop: any thread. */
#ifndef TERN_PROTO_REGISTRY_H
#define TERN_PROTO_REGISTRY_H

struct proto_class;

/* Ends with NULL. */
extern const struct proto_class *const proto_classes[];

#endif
