// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "report.h"
#include "text.h"

struct report {
	int indent;
	const char *const *headings;
	size_t columns;
	char **cells;
	size_t count;
};

struct report *report_new(int indent, const char *const *columns)
{
	struct report *report = xcalloc(1, sizeof(*report));

	report->indent = indent;
	report->headings = columns;
	while (columns[report->columns])
		report->columns++;
	return report;
}

void report_cell(struct report *report, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = xstrdup("");
	va_end(args);
	text_clean(text);
	report->cells = xrealloc(report->cells, (report->count + 1) * sizeof(*report->cells));
	report->cells[report->count++] = text;
}

static bool to_the_right(const char *heading)
{
	return heading[0] == '>';
}

static const char *heading_text(const char *heading)
{
	return heading + to_the_right(heading);
}

/* 0 for a column without a cell to show. */
static int column_width(const struct report *report, size_t column)
{
	size_t widest = 0, i;

	for (i = column; i < report->count; i += report->columns)
		if (strlen(report->cells[i]) > widest)
			widest = strlen(report->cells[i]);
	if (!widest)
		return 0;
	i = strlen(heading_text(report->headings[column]));
	return i > widest ? i : widest;
}

static void print_row(const struct report *report, const int *widths, char **cells, FILE *to)
{
	char *line = xprintf("%*s", report->indent, "");
	size_t column, length;

	for (column = 0; column < report->columns; column++) {
		const char *heading = report->headings[column];

		if (!widths[column])
			continue;
		xappend(&line, "", "%*s  ", to_the_right(heading) ? widths[column] : -widths[column],
			cells ? cells[column] : heading_text(heading));
	}
	for (length = strlen(line); length && line[length - 1] == ' '; length--)
		line[length - 1] = '\0';
	fprintf(to, "%s\n", line);
	free(line);
}

void report_print(struct report *report, FILE *to)
{
	int *widths = xcalloc(report->columns, sizeof(*widths));
	size_t i;

	for (i = 0; i < report->columns; i++)
		widths[i] = column_width(report, i);
	print_row(report, widths, NULL, to);
	for (i = 0; i + report->columns <= report->count; i += report->columns)
		print_row(report, widths, report->cells + i, to);
	for (i = 0; i < report->count; i++)
		free(report->cells[i]);
	free(report->cells);
	free(report);
	free(widths);
}
