/* SPDX-License-Identifier: GPL-2.0-only */
/* The dmsetup command that starts an array again. */
#ifndef MB_TABLE_LINE_H
#define MB_TABLE_LINE_H

#include "view.h"

/* What follows the target's name; legs by the names that survive a reboot, or by device numbers for the kernel. */
char *table_params(const struct view *view, bool lasting);

/* "0 <length> mirrorbal ..."; legs by the names that survive a reboot. */
char *table_line(const struct view *view);

/* "dmsetup create NAME --uuid ... --table '0 ...'" */
char *table_command(const struct view *view);

/* The layout as tables have it, "n2", in a buffer of at least 8 bytes. */
const char *layout_word(char *word, const struct mb_shape *shape);

#endif /* MB_TABLE_LINE_H */
