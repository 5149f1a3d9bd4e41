# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For scripts that run in a guest: TAP on stdout without a plan in advance, disks, arrays and their counters.
#
# A script sources this first and calls done_testing last; anything that ends it earlier is a failure. Its header says
# what guest it needs, for tests/run:
#   # guest: --nvme 64M --nvme 64M      options of `lab run`; may be repeated
#   # kernels: 6.12                     or several, or `all`; 6.12 if not given
#   # debug: yes                        on the kernel that checks itself, too, where its image is there
#   # timeout: 300                      seconds of real time; 300 if not given
#   # file: PATH                        a file or folder beside the script to take along; may be repeated
#   # module: PATH                      a folder of the checkout with a module that uses mirrorbal's symbols, to be
#                                       built and taken along as NAME.ko; may be repeated
set -u

TAP_COUNT=0
TAP_FAILED=0
TAP_DONE=no
# What the command of the check under way printed. One file for all: each program start costs time under emulation.
TAP_OUTPUT=$(mktemp)
trap tap_exit EXIT

tap_exit() {
	local status=$?
	[[ $TAP_DONE == yes ]] && return
	echo "Bail out! the script ended before done_testing, status $status"
	exit 1
}

# diag TEXT...: a remark in the log.
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok() {
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT - $*"
}

not_ok() {
	TAP_COUNT=$((TAP_COUNT + 1))
	TAP_FAILED=$((TAP_FAILED + 1))
	echo "not ok $TAP_COUNT - $*"
}

# skip TEXT REASON
skip() {
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT - $1 # SKIP $2"
}

# check TEXT COMMAND [ARG]...: ok if the command succeeds; shows its output if not. The command runs in this shell, so
# a function may set variables, but makes no checks of its own.
check() {
	local text=$1 status
	shift
	"$@" >"$TAP_OUTPUT" 2>&1
	status=$?
	if [[ $status -eq 0 ]]; then
		ok "$text"
	else
		not_ok "$text"
		diag "status $status: $*"
		tail -n 40 "$TAP_OUTPUT" | sed 's/^/# /'
	fi
	return "$status"
}

# check_fails TEXT COMMAND [ARG]...: ok if the command ends with a status of 1 to 123. A command that is not there or
# was killed has not failed in the way that is meant.
check_fails() {
	local text=$1 status
	shift
	"$@" >"$TAP_OUTPUT" 2>&1
	status=$?
	if [[ $status -gt 0 && $status -lt 124 ]]; then
		ok "$text"
	else
		not_ok "$text"
		diag "status $status, should have failed: $*"
		tail -n 40 "$TAP_OUTPUT" | sed 's/^/# /'
	fi
	[[ $status -gt 0 && $status -lt 124 ]]
}

# is TEXT GOT WANTED
is() {
	if [[ $2 == "$3" ]]; then
		ok "$1"
		return 0
	fi
	not_ok "$1"
	diag "got:    $2"
	diag "wanted: $3"
	return 1
}

# contains TEXT GOT PART
contains() {
	if [[ $2 == *"$3"* ]]; then
		ok "$1"
		return 0
	fi
	not_ok "$1"
	diag "got:          $2"
	diag "must contain: $3"
	return 1
}

# --- the command ---

# run COMMAND...: STATUS, OUT and ERR of it, with nobody to ask.
run() {
	"$@" >stdout 2>stderr </dev/null
	STATUS=$?
	OUT=$(<stdout) ERR=$(<stderr)
}

# fails_with STATUS TEXT PART COMMAND...: says PART.
fails_with() {
	local status=$1 text=$2 part=$3
	shift 3
	run "$@"
	if [[ $STATUS -eq $status && $ERR == *"$part"* ]]; then
		ok "$text"
	else
		not_ok "$text"
		diag "status $STATUS: $*"
		diag "$OUT$ERR"
		diag "must say: $part"
	fi
}

# refused TEXT PART COMMAND...: it cannot be done. usage_error: the command line makes no sense.
refused() { fails_with 3 "$@"; }
usage_error() { fails_with 4 "$@"; }

# json TEXT FILTER WANTED: what jq finds in OUT.
json() {
	is "$1" "$(jq -r "$2" <<<"$OUT" 2>&1)" "$3"
}

# tty_says LINE COMMAND: what a command line says on a terminal where LINE is typed.
tty_says() {
	echo "$1" | script -qec "$2" /dev/null
}

# --- what everything needs ---

# bail TEXT: what must be there for anything to be tested is not.
bail() {
	echo "Bail out! $*"
	TAP_DONE=yes
	exit 1
}

# need COMMAND [ARG]...: bail out unless it succeeds.
need() {
	local output
	output=$("$@" 2>&1) || bail "$* failed: $output"
}

# kernel_log_mark: what the kernel said before is not looked at any more.
KERNEL_LOG_MARK=
kernel_log_mark() {
	KERNEL_LOG_MARK="mirrorbal-test: mark $((${KERNEL_LOG_MARK##* } + 1))"
	echo "$KERNEL_LOG_MARK" >/dev/kmsg
}

# Print what the kernel said since the last mark, or since it started.
kernel_log() {
	dmesg | awk -v mark="$KERNEL_LOG_MARK" '
		mark != "" && index($0, mark) { count = 0; next }
		{ line[count++] = $0 }
		END { for (i = 0; i < count; i++) print line[i] }'
}

KERNEL_FAULTS='WARNING: |BUG: |kernel BUG|Oops|Call Trace|general protection|possible (circular|recursive) locking|blocked for more than|refcount_t|UBSAN|KASAN|KCSAN'

kernel_log_clean() {
	! kernel_log | grep -E "$KERNEL_FAULTS"
}

# Print the plan, and end with a status that says whether all was well. A kernel that complained is a failure too.
done_testing() {
	KERNEL_LOG_MARK=
	check 'the kernel did not complain' kernel_log_clean
	TAP_DONE=yes
	echo "1..$TAP_COUNT"
	[[ $TAP_FAILED -eq 0 ]]
	exit
}

# ram_disks COUNT MIB: /dev/ram0 and on, empty. May be called again: the old ones are gone then.
ram_disks() {
	modprobe -r brd 2>/dev/null
	need modprobe brd "rd_nr=$1" "rd_size=$(($2 * 1024))" max_part=0
	need udevadm settle
}

# sectors DEVICE: its size.
sectors() {
	blockdev --getsz "$1"
}

# mb_length LAYOUT CHUNK LEGS LEG_SECTORS: the length that md raid10 would give to such an array, in sectors.
mb_length() {
	local copies=${1:1} rows=$(($4 / $2))
	# The broken parts are lost on purpose.
	# shellcheck disable=SC2017
	case $1 in
	n*)	echo $((rows * $3 / copies * $2)) ;;
	*)	echo $((rows / copies * $3 * $2)) ;;
	esac
}

# mb_table LAYOUT CHUNK OFFSET "DEVICE|- ..." [WORD]...: print a table line for these legs, as long as the smallest
# allows. The words are policy and features; without any, `nearest-head 0 1 nosync`.
mb_table() {
	local layout=$1 chunk=$2 offset=$3 device size smallest=
	local -a devices legs=()
	read -r -a devices <<<"$4"
	shift 4
	[[ $# -gt 0 ]] || set -- nearest-head 0 1 nosync
	for device in "${devices[@]}"; do
		legs+=("$device" "$offset")
		[[ $device != - ]] || continue
		size=$(($(sectors "$device") - offset))
		[[ -n $smallest && $smallest -le $size ]] || smallest=$size
	done
	echo "0 $(mb_length "$layout" "$chunk" "${#devices[@]}" "$smallest")" \
		"mirrorbal $layout $chunk ${#devices[@]} ${legs[*]} $*"
}

# mb_create NAME TABLE: start an array and wait for its node in /dev/mapper. As a check's command it shows the kernel's
# reason when it is refused.
mb_create() {
	kernel_log_mark
	dmsetup create "$1" --table "$2" && udevadm settle && [[ -b /dev/mapper/$1 ]] && return
	kernel_log
	return 1
}

mb_remove() {
	udevadm settle
	dmsetup remove --retry "$1"
}

# mb_error TABLE: print the reason that the kernel gives for refusing a table, without what device-mapper puts before
# it; status 1 if it was not refused.
mb_error() {
	kernel_log_mark
	if dmsetup create mb-error --table "$1" 2>/dev/null; then
		mb_remove mb-error
		return 1
	fi
	kernel_log | sed -n 's/.*device-mapper: table: [0-9:]*: [a-z-]*: \(.*\) (-[A-Z0-9]*)$/\1/p' | head -n 1
}

# mb_field NAME FIELD: one part of the status: layout legs health sync action mismatches policy marks.
mb_field() {
	local -a words
	local -A at=([layout]=3 [legs]=4 [health]=5 [sync]=6 [action]=7 [mismatches]=8 [policy]=9 [marks]=10)
	read -r -a words <<<"$(dmsetup status "$1")"
	echo "${words[${at[$2]}]}"
}

MB_COUNTERS=(reads sectors_read writes sectors_written sequential_reads read_errors write_errors redirected_reads
	sectors_repaired reads_in_flight read_latency_us)

# mb_counter NAME LEG COUNTER: the counter's value. Names are those of MB_COUNTERS, the order that users are promised.
mb_counter() {
	local -a words
	local nth
	for nth in "${!MB_COUNTERS[@]}"; do
		[[ ${MB_COUNTERS[nth]} != "$3" ]] || break
	done
	[[ ${MB_COUNTERS[nth]} == "$3" ]] || bail "no counter $3"
	read -r -a words <<<"$(dmsetup status "$1")"
	echo "${words[12 + $2 * words[11] + nth]}"
}

# disk_stat DEVICE FIELD: reads sectors_read writes sectors_written discards, as the kernel's block layer counted them.
# RAM disks do not count.
disk_stat() {
	local -a words
	local -A at=([reads]=0 [sectors_read]=2 [writes]=4 [sectors_written]=6 [discards]=11 [sectors_discarded]=13)
	read -r -a words <"/sys/class/block/$(basename "$(readlink -f "$1")")/stat"
	echo "${words[${at[$2]}]}"
}

# random_file PATH MIB
random_file() {
	dd if=/dev/urandom of="$1" bs=1M count="$2" status=none
}

# fill FILE SKIP DEVICE: write the whole device with what FILE holds from SKIP bytes on.
fill() {
	dd if="$1" iflag=skip_bytes,count_bytes skip="$2" count="$(blockdev --getsize64 "$3")" \
		of="$3" oflag=direct bs=256K status=none
}

# holds FILE SKIP DEVICE: does the whole device hold what `fill` would write? Read from the disks, large and direct.
holds() {
	dd if="$3" iflag=direct bs=256K status=none |
		cmp -n "$(blockdev --getsize64 "$3")" -i "$2:0" "$1" - || return
}

# Every part of a pipe counts.
set -o pipefail

# load_start DEVICE [FIO OPTION]...: verified reads and writes, round after round in the background, until load_stop.
LOAD=
load_start() {
	local device=$1
	shift
	LOAD=$(mktemp -d)
	while [[ ! -e $LOAD/stop ]]; do
		verified_fio --filename="$device" "$@" >"$LOAD/log" 2>&1 || {
			touch "$LOAD/failed"
			break
		}
		echo >>"$LOAD/rounds"
	done &
	LOAD_PID=$!
}

# load_stop: let the round under way end; fails if any round did.
load_stop() {
	touch "$LOAD/stop"
	wait "$LOAD_PID"
	[[ ! -e $LOAD/failed && -s $LOAD/rounds ]] && return
	cat "$LOAD/log"
	return 1
}

# load_runs: is it still at it? A round that has failed is the end of it.
load_runs() {
	[[ ! -e $LOAD/failed ]] && return
	cat "$LOAD/log"
	return 1
}

# verified_fio [FIO OPTION]...: random direct reads and writes with checksums, each block read back in the end.
verified_fio() {
	fio --name=verified --thread --eta=never --allow_file_create=0 --direct=1 --ioengine=libaio --iodepth=16 --rw=randrw --bs=4k \
		--randrepeat=1 --verify=crc32c --verify_fatal=1 --verify_backlog=64 "$@"
}

# mb_message NAME WORD...: send it to the array.
mb_message() {
	local name=$1
	shift
	dmsetup message "$name" 0 "$@"
}

# mb_message_error NAME WORD...: print the reason that the kernel gives for refusing a message; status 1 if it took it.
mb_message_error() {
	kernel_log_mark
	! mb_message "$@" >/dev/null 2>&1 || return 1
	kernel_log | sed -n "s/.*device-mapper: mirrorbal: [^:]*([0-9:]*): message '[^']*': //p" | head -n 1
}

# mb_reload NAME TABLE: load another table and let it take over; shows the kernel's reason when it is refused.
mb_reload() {
	kernel_log_mark
	dmsetup load "$1" --table "$2" && dmsetup resume "$1" && return
	kernel_log
	return 1
}

# mb_load_error NAME TABLE: print the reason that the kernel gives for refusing it in the place of the one that runs.
mb_load_error() {
	kernel_log_mark
	if dmsetup load "$1" --table "$2" 2>/dev/null; then
		dmsetup clear "$1"
		return 1
	fi
	kernel_log | sed -n 's/.*device-mapper: table: [0-9:]*: [a-z-]*: \(.*\) (-[A-Z0-9]*)$/\1/p' | head -n 1
}

# subsets SIZE LEGS: print each choice of SIZE of the first LEGS legs, a line each.
subsets() {
	local bits leg
	local -a chosen
	for ((bits = 0; bits < 1 << $2; bits++)); do
		chosen=()
		for ((leg = 0; leg < $2; leg++)); do
			[[ $((bits >> leg & 1)) -eq 0 ]] || chosen+=("$leg")
		done
		[[ ${#chosen[@]} -ne $1 ]] || echo "${chosen[*]}"
	done
}

# copies_equal NAME COPIES LEGS: read the array through each of its copies, by leaving all others in peace. The reads
# themselves are counted, so that a leg that is not left in peace cannot hide a difference.
copies_equal() {
	local name=$1 marked leg
	dd if="/dev/mapper/$name" iflag=direct bs=256K of=/tmp/whole status=none || return
	while read -r marked; do
		for leg in $marked; do
			mb_message "$name" write_mostly "$leg" on || return
		done
		mb_message "$name" reset_counters || return
		holds /tmp/whole 0 "/dev/mapper/$name" || { echo "differs when legs $marked are not read"; return 1; }
		for leg in $marked; do
			[[ $(mb_counter "$name" "$leg" reads) -eq 0 ]] || { echo "leg $leg was read"; return 1; }
			mb_message "$name" write_mostly "$leg" off || return
		done
	done < <(subsets $(($2 - 1)) "$3")
}

# suspend_and_resume NAME [OPTION]...: of dmsetup suspend.
suspend_and_resume() {
	local name=$1
	shift
	dmsetup suspend "$@" "$name" || return
	[[ $(dmsetup info -c --noheadings -o suspended "$name") == Suspended ]] || return
	dmsetup status "$name" >/dev/null && dmsetup resume "$name"
}

# bad_leg NAME DEVICE [START COUNT]...: a dm device that passes on to DEVICE, but gives errors where told, in sectors and
# ascending. Called again, it changes what a device of this name does.
bad_leg() {
	local name=$1 device=$2 start=0 size lines=
	size=$(sectors "$device")
	shift 2
	while [[ $# -gt 0 ]]; do
		[[ $1 -eq $start ]] || lines+="$start $(($1 - start)) linear $device $start"$'\n'
		lines+="$1 $2 error"$'\n'
		start=$(($1 + $2))
		shift 2
	done
	[[ $start -eq $size ]] || lines+="$start $((size - start)) linear $device $start"$'\n'
	leg_table "$name" "$lines"
}

# flaky_leg NAME DEVICE [FEATURE]...: the same with dm-flakey, doing what the features say all the time.
flaky_leg() {
	local name=$1 device=$2
	shift 2
	leg_table "$name" "0 $(sectors "$device") flakey $device 0 $([[ $# -gt 0 ]] && echo 0 1 || echo 1 0) $# $*"
}

leg_table() {
	if dmsetup info "$1" >/dev/null 2>&1; then
		dmsetup load "$1" <<<"$2" && dmsetup suspend --nolockfs "$1" && dmsetup resume "$1"
	else
		dmsetup create "$1" <<<"$2" && udevadm settle
	fi
}

# without_udev: for scripts that make and remove devices by the hundred and look at the kernel alone. Nodes are made by
# who makes the device, and nobody probes it behind our back, which takes half of the time under emulation.
without_udev() {
	udevadm settle
	udevadm control --exit
	export DM_DISABLE_UDEV=1 MDADM_NO_UDEV=1
	udevadm() { :; }
}

# drop_caches: what is read next comes from the disks.
drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# medium_legs COUNT: /dev/mapper/leg0 and on, that pass on to RAM disks and can have bad sectors; see medium-module.
medium_legs() {
	local leg
	for ((leg = 0; leg < $1; leg++)); do
		need dmsetup create "leg$leg" --table "0 $(sectors "/dev/ram$leg") medium /dev/ram$leg"
	done
	need udevadm settle
}

remove_medium_legs() {
	local leg
	for leg in /dev/mapper/leg?; do
		need mb_remove "$(basename "$leg")"
	done
}

# spoil LEG KIND SECTOR SECTORS
spoil() {
	need dmsetup message "leg$1" 0 "$2" "$3" "$4"
}

# bad LEG: its bad sectors.
bad() {
	dmsetup status "leg$1" | cut -d' ' -f4
}

# waiting LEG: its writes that wait.
waiting() {
	dmsetup status "leg$1" | cut -d' ' -f5
}

# becomes WANTED COMMAND...: within a minute.
becomes() {
	local wanted=$1 tries
	shift
	for ((tries = 0; tries < 600; tries++)); do
		[[ $("$@") != "$wanted" ]] || return 0
		sleep 0.1
	done
	echo "got: $("$@")"
	return 1
}

# log_tells TEXT: within a minute.
log_tells() {
	becomes yes bash -c 'dmesg | grep -qF "$1" && echo yes' - "$1"
}

# waits PID: it still runs.
waits() {
	sleep 2
	[[ $(jobs -pr | grep -cx "$1") -eq 1 ]]
}

# synced: "yes" once all of the array mb is the same on all legs.
synced() {
	local sectors
	sectors=$(sectors /dev/mapper/mb)
	[[ $(mb_field mb sync) == "$sectors/$sectors" ]] && echo yes
}

# stop_mb: the array mb, by the command.
stop_mb() {
	udevadm settle
	mirrorbal stop mb
}

# power_off: the array mb's. What its legs, medium_legs, hold at this moment is kept, and what comes after undone.
power_off() {
	local leg
	udevadm settle
	for leg in /dev/mapper/leg?; do
		dd if="/dev/ram${leg##*leg}" of="/tmp/lost${leg##*leg}" bs=1M iflag=direct status=none || return
	done
	mb_remove mb || return
	for leg in /dev/mapper/leg?; do
		dd if="/tmp/lost${leg##*leg}" of="/dev/ram${leg##*leg}" bs=1M oflag=direct status=none || return
	done
}
