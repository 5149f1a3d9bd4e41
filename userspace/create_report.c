// SPDX-License-Identifier: GPL-2.0-only
#include "create.h"
#include "report.h"
#include "size.h"

void creation_print_legs(const struct creation *creation)
{
	static const char *const columns[] = {
		">LEG", "DEVICE", ">SIZE", "MODEL", "SERIAL", "CARRIES", "LINK", NULL
	};
	struct report *report = report_new(2, columns);
	char size[SIZE_TEXT_LEN];
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		const struct creation_leg *of = &creation->legs[leg];

		report_cell(report, "%u", leg);
		report_cell(report, "%s", of->device->node);
		report_cell(report, "%s", size_text(size, of->device->bytes));
		report_cell(report, "%s", of->device->model);
		report_cell(report, "%s", of->device->serial);
		report_cell(report, "%s%s", of->contents ? of->contents : "",
			    of->contents ? " (will be wiped)" : "");
		report_cell(report, "%s", of->device->link ? of->device->link : "");
	}
	report_print(report, stderr);
}
