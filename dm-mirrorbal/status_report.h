/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `dmsetup status` and `dmsetup table` print.
 */
#ifndef MB_STATUS_REPORT_H
#define MB_STATUS_REPORT_H

#include "array.h"

/**
 * mb_report_status - write one of device-mapper's status lines
 * @array: the array
 * @type: which line
 * @result: receives the text
 * @maxlen: room in @result
 *
 * Context: process, may sleep.
 */
void mb_report_status(struct mb_array *array, status_type_t type, char *result,
		      unsigned int maxlen);

/**
 * mb_report_counters - write the legs' counters by name, a line a leg
 * @array: the array
 * @result: receives the text
 * @maxlen: room in @result
 *
 * Context: process, may sleep, config_mutex held.
 */
void mb_report_counters(struct mb_array *array, char *result, unsigned int maxlen);

#endif /* MB_STATUS_REPORT_H */
