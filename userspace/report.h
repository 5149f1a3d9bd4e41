/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of aligned columns. */
#ifndef MB_REPORT_H
#define MB_REPORT_H

#include <stdio.h>

struct report;

/**
 * report_new - begin a table
 * @indent: blanks before each line
 * @columns: headings, NULL at the end; a heading that begins with '>' makes
 *           its column align to the right
 */
struct report *report_new(int indent, const char *const *columns);

/* Puts the next cell, left to right, row by row. */
void report_cell(struct report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints the table and frees it. Columns with nothing in them are left out. */
void report_print(struct report *report, FILE *to);

#endif /* MB_REPORT_H */
