// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "alloc.h"
#include "device.h"
#include "say.h"
#include "size.h"
#include "sysfs.h"
#include "text.h"

static struct udev *the_udev(void)
{
	static struct udev *udev;

	if (!udev)
		udev = udev_new();
	return udev;
}

/* Link names that carry a number instead of model and serial. */
static bool is_bare_number(const char *name)
{
	static const char *const prefixes[] = { "wwn-", "nvme-eui.", "nvme-nvme.", "nvme-uuid.",
						"scsi-3", "lvm-pv-uuid-", "dm-uuid-", "md-uuid-" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

#define BY_ID "/dev/disk/by-id/"
/* Made by the udev rule; goes with the data, not with the disk, whose own is better. */
#define STAMP_LINK BY_ID "mirrorbal-"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* How good a name is for a table that is to outlive a reboot; 0 for never. */
static int link_rank(const char *link)
{
	/* These would have to be escaped in a table, and again in a shell. */
	if (strpbrk(link, "\\'\" \t\n"))
		return 0;
	if (begins(link, "/dev/mapper/"))
		return 6;
	if (begins(link, STAMP_LINK))
		return 3;
	if (begins(link, BY_ID))
		return is_bare_number(link + strlen(BY_ID)) ? 4 : 5;
	if (begins(link, "/dev/disk/by-partuuid/"))
		return 2;
	if (begins(link, "/dev/disk/by-path/"))
		return 1;
	return 0;
}

/* Of equally good links the shorter, then the first, so that it is always the same. */
static bool is_better(const char *link, const char *than)
{
	int rank = link_rank(link);

	if (!rank)
		return false;
	if (!than || rank != link_rank(than))
		return !than || rank > link_rank(than);
	if (strlen(link) != strlen(than))
		return strlen(link) < strlen(than);
	return strcmp(link, than) < 0;
}

static char *best_link(struct udev_device *udev)
{
	struct udev_list_entry *entry;
	const char *best = NULL;

	udev_list_entry_foreach(entry, udev_device_get_devlinks_list_entry(udev)) {
		const char *link = udev_list_entry_get_name(entry);
		struct stat st;

		/* The link must still lead here: two disks may claim one name. */
		if (is_better(link, best) && !stat(link, &st) &&
		    st.st_rdev == udev_device_get_devnum(udev))
			best = link;
	}
	return best ? xstrdup(best) : NULL;
}

/* The first attribute of the disk that says something, or else udev's property. */
static char *first_text(struct udev_device *udev, dev_t disk, const char *const *attributes,
			const char *property)
{
	const char *value;
	char *text;

	for (; *attributes; attributes++) {
		text = block_attribute(disk, *attributes);
		if (text && *text)
			return text;
		free(text);
	}
	value = property ? udev_device_get_property_value(udev, property) : NULL;
	return xstrdup(value ? value : "");
}

static char *model_of(struct udev_device *udev, dev_t disk)
{
	static const char *const attributes[] = { "device/model", "dm/name", NULL };
	char *file = block_attribute(disk, "loop/backing_file");
	char *text;

	if (!file)
		return first_text(udev, disk, attributes, "ID_MODEL");
	text = xprintf("file %s", file);
	free(file);
	return text;
}

static char *serial_of(struct udev_device *udev, dev_t disk)
{
	static const char *const attributes[] = { "device/serial", "serial", NULL };
	const char *scsi = udev_device_get_property_value(udev, "ID_SCSI_SERIAL");

	return scsi ? xstrdup(scsi) : first_text(udev, disk, attributes, "ID_SERIAL_SHORT");
}

static dev_t disk_of(struct udev_device *udev)
{
	struct udev_device *parent;

	if (strcmp(udev_device_get_devtype(udev) ?: "", "partition"))
		return udev_device_get_devnum(udev);
	parent = udev_device_get_parent_with_subsystem_devtype(udev, "block", "disk");
	return parent ? udev_device_get_devnum(parent) : udev_device_get_devnum(udev);
}

static bool is_zoned(dev_t disk)
{
	char *zoned = block_attribute(disk, "queue/zoned");
	bool result = zoned && strcmp(zoned, "none");

	free(zoned);
	return result;
}

struct device *device_by_number(dev_t number)
{
	struct udev_device *udev = udev_device_new_from_devnum(the_udev(), 'b', number);
	struct device *device;

	if (!udev)
		return NULL;
	device = xcalloc(1, sizeof(*device));
	device->number = number;
	device->disk = disk_of(udev);
	device->node = xstrdup(udev_device_get_devnode(udev) ?: udev_device_get_sysname(udev));
	device->link = best_link(udev);
	device->model = model_of(udev, device->disk);
	device->serial = serial_of(udev, device->disk);
	/* sysfs counts 512-byte sectors whatever the block size. */
	device->bytes = block_number(number, "size", 0) << 9;
	device->read_only = block_number(number, "ro", 0);
	device->logical_block = block_number(device->disk, "queue/logical_block_size", 512);
	device->physical_block = block_number(device->disk, "queue/physical_block_size", 512);
	device->rotational = block_number(device->disk, "queue/rotational", 0);
	device->zoned = is_zoned(device->disk);
	udev_device_unref(udev);
	return device;
}

struct device *device_by_path(const char *path)
{
	struct device *device;
	struct stat st;

	if (stat(path, &st)) {
		say_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (S_ISREG(st.st_mode)) {
		say_error("%s is a file, not a block device; `losetup --find --show %s` makes one of it",
			  path, path);
		return NULL;
	}
	if (!S_ISBLK(st.st_mode)) {
		say_error("%s is not a block device", path);
		return NULL;
	}
	device = device_by_number(st.st_rdev);
	if (!device)
		say_error("%s: the kernel has no block device %u:%u", path, major(st.st_rdev),
			  minor(st.st_rdev));
	return device;
}

bool device_same(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, b))
		return true;
	return !stat(a, &first) && !stat(b, &second) && S_ISBLK(first.st_mode) &&
	       S_ISBLK(second.st_mode) && first.st_rdev == second.st_rdev;
}

void device_free(struct device *device)
{
	if (!device)
		return;
	free(device->node);
	free(device->link);
	free(device->model);
	free(device->serial);
	free(device);
}

const char *device_lasting_name(const struct device *device)
{
	return device->link ? device->link : device->node;
}

const char *device_own_name(const struct device *device)
{
	bool of_stamp = device->link && begins(device->link, STAMP_LINK);

	return of_stamp ? device->node : device_lasting_name(device);
}

/* A partition has inherited the table of its disk. */
static const char *known_as(struct udev_device *udev)
{
	const char *filesystem = udev_device_get_property_value(udev, "ID_FS_TYPE");
	const char *devtype = udev_device_get_devtype(udev);

	if (filesystem || (devtype && !strcmp(devtype, "partition")))
		return filesystem;
	return udev_device_get_property_value(udev, "ID_PART_TABLE_TYPE");
}

void device_each(void (*visit)(dev_t number, const char *known_as, void *context), void *context)
{
	struct udev_enumerate *all = udev_enumerate_new(the_udev());
	struct udev_list_entry *entry;

	udev_enumerate_add_match_subsystem(all, "block");
	udev_enumerate_scan_devices(all);
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(all)) {
		struct udev_device *udev;

		udev = udev_device_new_from_syspath(the_udev(), udev_list_entry_get_name(entry));
		if (!udev)
			continue;
		visit(udev_device_get_devnum(udev), known_as(udev), context);
		udev_device_unref(udev);
	}
	udev_enumerate_unref(all);
}

char *device_describe(const struct device *device)
{
	char *text = xstrdup(device->node);
	char size[SIZE_TEXT_LEN];

	if (device->link)
		xappend(&text, " ", "(%s)", device->link);
	if (*device->model)
		xappend(&text, ", ", "%s", device->model);
	if (*device->serial)
		xappend(&text, ", ", "serial %s", device->serial);
	xappend(&text, ", ", "%s", size_text(size, device->bytes));
	text_clean(text);
	return text;
}
