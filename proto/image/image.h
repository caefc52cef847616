/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol class of `protocol image`. Loop: any thread. */
#ifndef TERN_PROTO_IMAGE_IMAGE_H
#define TERN_PROTO_IMAGE_IMAGE_H

struct proto_class;

extern const struct proto_class image_proto_class;

#endif
