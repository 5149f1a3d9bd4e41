// SPDX-License-Identifier: GPL-2.0-only
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "lvm_filter.h"

/* What lvmconfig says of a setting, NULL if it is not set: `filter=["r|/dev/x|"]`. */
static char *lvm_setting(const char *setting)
{
	char *command = xprintf("lvmconfig %s 2>/dev/null </dev/null", setting);
	char *text = NULL, line[1024];
	FILE *output = popen(command, "re");

	while (output && fgets(line, sizeof(line), output))
		xappend(&text, "", "%s", line);
	if (output)
		pclose(output);
	free(command);
	return text;
}

static char closing_of(char opening)
{
	static const char pairs[] = "()[]{}<>";
	const char *found = opening ? strchr(pairs, opening) : NULL;

	return found && (found - pairs) % 2 == 0 ? found[1] : opening;
}

/* Does "a|<expression>|" or "r|<expression>|" speak of this path? */
static bool pattern_matches(const char *pattern, const char *path)
{
	char *expression = xstrdup(pattern + 2);
	char *end = strrchr(expression, closing_of(pattern[1]));
	regex_t regex;
	bool matches = false;

	if (end)
		*end = '\0';
	if (!regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB)) {
		matches = !regexec(&regex, path, 0, NULL, 0);
		regfree(&regex);
	}
	free(expression);
	return matches;
}

/* The first pattern that matches decides. */
static bool filter_rejects(const char *setting, const char *path)
{
	char *text = lvm_setting(setting), *at, *end;
	bool rejects = false;

	for (at = text ? strchr(text, '"') : NULL; at; at = strchr(end + 1, '"')) {
		end = strchr(at + 1, '"');
		if (!end)
			break;
		*end = '\0';
		if ((at[1] == 'a' || at[1] == 'r') && at[2] && pattern_matches(at + 1, path)) {
			rejects = at[1] == 'r';
			break;
		}
	}
	free(text);
	return rejects;
}

/* With a devices file LVM sees only what is listed there; a new array is not. */
static bool devices_file_in_use(void)
{
	char *text;
	bool used;

	if (access("/etc/lvm/devices/system.devices", F_OK))
		return false;
	text = lvm_setting("--type full devices/use_devicesfile");
	used = text && strstr(text, "=1");
	free(text);
	return used;
}

bool lvm_filter_hides(const char *name)
{
	char *path = xprintf("/dev/mapper/%s", name);
	bool hides = filter_rejects("devices/global_filter", path) ||
		     filter_rejects("devices/filter", path) || devices_file_in_use();

	free(path);
	return hides;
}
