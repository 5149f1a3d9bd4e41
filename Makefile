# SPDX-License-Identifier: GPL-2.0-only
#
# `make` lists what there is. Build results go to build/.

SHELL := /bin/bash

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)
NAME := mirrorbal

BUILD := $(CURDIR)/build
DESTDIR ?=
PREFIX ?= /usr
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

# All that dkms needs to build the module.
DKMS_FILES := dm-mirrorbal dkms.conf LICENSE
DKMS_SOURCE = $(DESTDIR)/usr/src/$(NAME)-$(VERSION)
# $(call copy-dkms-files,FOLDER): times are kept, so that a second build is short.
copy-dkms-files = mkdir -p $(1) && tar -cf - --owner=0 --group=0 --mode=u=rwX,go=rX \
	--exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' --exclude='.*.cmd' \
	--exclude=Module.symvers --exclude=modules.order --exclude=.tmp_versions \
	$(DKMS_FILES) | tar -xf - -C $(1) --no-same-owner

USERSPACE = $(MAKE) -C userspace BUILD=$(BUILD) VERSION=$(VERSION) PREFIX=$(PREFIX)

.PHONY: help demo test soak unit bench module userspace install uninstall install-userspace \
	dkms-source check-style mutants clean need-root need-dkms install-dkms remove-dkms
# The order of prerequisites below is the order of work.
.NOTPARALLEL:

help: ## this list
	@printf 'mirrorbal %s\n\n' '$(VERSION)'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | \
		awk -F '\t' '{ printf "  make %-18s %s\n", $$1, $$2 }'
	@printf '\nVariables: KVER or KDIR (kernel to build for), DESTDIR, PREFIX, BENCH_ARGS, TEST_ARGS\n'

demo: ## show it at work in a virtual machine, with disks, LVM and files (5 minutes)
	tests/demo/demo

test: ## unit tests and tests in virtual machines
	tests/run $(TEST_ARGS)

soak: ## the tests once more, on kernels that check themselves (hours)
	tests/run $(TEST_ARGS) --kernel debug functional

unit: ## unit tests only
	tests/run unit

bench: ## compare with md raid10 and dm-mirror; report in build/bench
	tests/bench/bench $(BENCH_ARGS)

module: ## build dm-mirrorbal.ko for KVER into build/module
	@test -e $(KDIR)/Makefile || { \
		echo 'make module: no kernel headers in $(KDIR).' >&2; \
		echo 'Install them (apt-get install linux-headers-$(KVER)), or name another kernel by KVER= or KDIR=.' >&2; \
		exit 1; }
	$(call copy-dkms-files,$(BUILD)/module)
	$(MAKE) -C $(KDIR) M=$(BUILD)/module/dm-mirrorbal modules

userspace: ## build the mirrorbal command into build/userspace
	$(USERSPACE) all

install: need-root need-dkms install-userspace install-dkms ## as root: module by dkms, command, manual page, udev rule
	@if [ -d /run/udev ]; then udevadm control --reload; fi
	@echo 'mirrorbal $(VERSION) is installed. `mirrorbal --help` and `man mirrorbal` say what to do next.'

uninstall: need-root remove-dkms ## as root: take away what `make install` has put
	$(USERSPACE) uninstall DESTDIR=
	@if [ -d /run/udev ]; then udevadm control --reload; fi

install-userspace: ## command, manual page and udev rule into DESTDIR
	$(USERSPACE) install DESTDIR=$(DESTDIR)

dkms-source: ## what dkms needs into DESTDIR/usr/src/mirrorbal-VERSION
	rm -rf $(DKMS_SOURCE)
	$(call copy-dkms-files,$(DKMS_SOURCE))

check-style: ## SPDX lines, white space, shell scripts
	tests/check-style

mutants: ## break the core on purpose; unit tests must notice every time (3 minutes)
	tests/unit/mutants

clean: ## remove build/
	rm -rf $(BUILD)

need-root:
	@[ "$$(id -u)" = 0 ] || { echo 'This needs root: sudo make $(MAKECMDGOALS)' >&2; exit 1; }

need-dkms:
	@command -v dkms >/dev/null || { \
		echo 'make install: dkms is missing. Install it (apt-get install dkms linux-headers-$(KVER)) and try again.' >&2; \
		exit 1; }
	@test -e $(KDIR)/Makefile || { \
		echo 'make install: no kernel headers in $(KDIR).' >&2; \
		echo 'Install them (apt-get install linux-headers-$(KVER)) and try again.' >&2; \
		exit 1; }

install-dkms: remove-dkms
	$(MAKE) dkms-source DESTDIR=
	dkms add -m $(NAME) -v $(VERSION)
	dkms build -m $(NAME) -v $(VERSION) -k $(KVER)
	dkms install -m $(NAME) -v $(VERSION) -k $(KVER)

# Every version, so that an older one does not come back with the next kernel.
remove-dkms:
	@command -v dkms >/dev/null || exit 0; \
	dkms status -m $(NAME) | sed -n 's,^$(NAME)/\([^,:]*\)[,:].*,\1,p' | sort -u | while read -r version; do \
		dkms remove -m $(NAME) -v "$$version" --all && rm -rf "/usr/src/$(NAME)-$$version" || exit; \
	done
	rm -rf /usr/src/$(NAME)-$(VERSION)
