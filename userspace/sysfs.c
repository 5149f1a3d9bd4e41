// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "alloc.h"
#include "number.h"
#include "sysfs.h"

char *file_line(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, *start, *result;
	size_t size = 0, length;

	if (!file)
		return NULL;
	if (getline(&line, &size, file) < 0) {
		free(line);
		fclose(file);
		return NULL;
	}
	fclose(file);
	for (start = line; isspace((unsigned char)*start); start++)
		;
	for (length = strlen(start); length && isspace((unsigned char)start[length - 1]); length--)
		start[length - 1] = '\0';
	result = xstrdup(start);
	free(line);
	return result;
}

char *block_path(dev_t number, const char *rest)
{
	return xprintf("/sys/dev/block/%u:%u/%s", major(number), minor(number), rest);
}

char *block_attribute(dev_t number, const char *attribute)
{
	char *path = block_path(number, attribute);
	char *line = file_line(path);

	free(path);
	return line;
}

u64 block_number(dev_t number, const char *attribute, u64 otherwise)
{
	char *line = block_attribute(number, attribute);
	u64 value = otherwise;

	if (line)
		mb_number_parse(line, ~0ull, &value);
	free(line);
	return value;
}

bool parse_device_number(const char *text, dev_t *number)
{
	unsigned int dev_major, dev_minor;

	if (sscanf(text, "%u:%u", &dev_major, &dev_minor) != 2)
		return false;
	*number = makedev(dev_major, dev_minor);
	return true;
}

bool block_in_folder(const char *folder, const char *name, dev_t *number)
{
	char *path = xprintf("%s/%s/dev", folder, name);
	char *line = name[0] == '.' ? NULL : file_line(path);
	bool result = line && parse_device_number(line, number);

	free(line);
	free(path);
	return result;
}

bool block_any_related(dev_t number, const char *relation,
		       bool (*answers)(dev_t number, const void *context), const void *context)
{
	char *path = block_path(number, relation);
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool found = false;
	dev_t other;

	while (directory && !found && (entry = readdir(directory)))
		found = block_in_folder(path, entry->d_name, &other) &&
			(answers(other, context) ||
			 block_any_related(other, relation, answers, context));
	if (directory)
		closedir(directory);
	free(path);
	return found;
}
