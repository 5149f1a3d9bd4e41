/* SPDX-License-Identifier: GPL-2.0-only */
/* Device-mapper answers with a number and says the reason in the kernel log. */
#ifndef MB_KERNEL_LOG_H
#define MB_KERNEL_LOG_H

/* Remember the log's end; -1 if it cannot be read. */
int kernel_log_mark(void);

/**
 * kernel_log_since - what mirrorbal wrote since
 * @mark: from kernel_log_mark(); closed here
 *
 * Return: a new text, one reason after the other; NULL if there is none.
 */
char *kernel_log_since(int mark);

#endif /* MB_KERNEL_LOG_H */
