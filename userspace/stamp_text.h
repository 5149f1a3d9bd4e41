/* SPDX-License-Identifier: GPL-2.0-only */
/* A leg's stamp, for people and for machines. */
#ifndef MB_STAMP_TEXT_H
#define MB_STAMP_TEXT_H

#include <json-c/json.h>

#include "superblock.h"

/* "is leg 1 of array 'vm'", and more where the creation was not finished. */
char *stamp_claim(const struct mb_superblock *superblock);

/*
 * The options that say which copies win, as they were given to the creation
 * that was not finished: "--copy-from leg1"; NULL for none, then the first do.
 */
char *stamp_winners(const struct mb_superblock *superblock);

/* All of it, a field a line. */
void stamp_print(const struct mb_superblock *superblock);

/* All of it. */
struct json_object *stamp_json(const struct mb_superblock *superblock);

#endif /* MB_STAMP_TEXT_H */
