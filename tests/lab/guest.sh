# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2054 # QEMU's options hold commas
# One guest, from QEMU's command line to the status that it leaves behind.

# Console lines that make a run a failure whatever the script says, behind the time stamp and a subsystem's name. A soft
# lockup or an RCU stall is one too: their limits are 120 s (guest_prepare), which being busy alone does not reach.
GUEST_FAULTS='^\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ([a-z0-9_-]+: )*('
GUEST_FAULTS+='BUG|WARNING|Oops|kernel BUG at|Kernel panic|general protection fault|UBSAN|refcount_t|DEBUG_LOCKS_WARN_ON'
GUEST_FAULTS+='|list_(add|del) corruption|INFO: task .* blocked for|INFO: .*detected.* stall|INFO: possible'
GUEST_FAULTS+='|[0-9]+ new suspected memory leaks)'

# Print "tcg" or "kvm". /dev/kvm may exist and yet never start a kernel, so one is booted under it with a time limit,
# once a boot of this machine.
guest_accelerator() {
	local image=$1 verdict
	[[ -w /dev/kvm ]] || { echo tcg; return; }
	verdict=$CACHE/kvm-$(cat /proc/sys/kernel/random/boot_id)
	if [[ ! -e $verdict ]]; then
		rm -f "$CACHE"/kvm-*
		if timeout -k 1 20 qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
			-M q35 -accel kvm -cpu host -m 512 -kernel "$(echo "$image"/root/boot/vmlinuz-*)" \
			-initrd "$(guest_initrd "$image")" -append 'console=ttyS0 panic=-1 lab.probe' \
			-serial stdio </dev/null 2>/dev/null | grep -q 'lab: the kernel runs'; then
			echo kvm >"$verdict"
		else
			say "/dev/kvm exists but boots no kernel here: emulating instead"
			echo tcg >"$verdict"
		fi
	fi
	cat "$verdict"
}

# What the initial RAM disk loads: "base" always, the rest when the guest has such disks. From there it is faster than
# by modprobe, which would unpack each module under emulation.
declare -A GUEST_MODULES=(
	[base]='virtio_pci virtio_blk ext4 9pnet_virtio 9p'
	[nvme]='nvme'
	[sas]='megaraid_sas sd_mod'
)

# guest_module_files IMAGE MODULE...: print the modules' files and those they need, in the order of loading.
guest_module_files() {
	local image=$1 module
	shift
	for module; do
		chroot "$image/root" modprobe -S "$(cache_release "$image")" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# Print the path of the image's initial RAM disk, made now if need be: busybox, modules, and the guest's init.
guest_initrd() {
	local image=$1 initrd tree set file name
	initrd=$image/initrd-$(cat "$LAB_DIR"/guest.sh "$LAB_DIR"/guest-initrd-init "$LAB_DIR"/guest-init |
		sha256sum | cut -c 1-12)
	if [[ ! -e $initrd ]]; then
		tree=$(mktemp -d "$image/tree.XXXXXX")
		mkdir "$tree"/{bin,dev,proc,sys,root,modules}
		cp "$image/root/bin/busybox" "$tree/bin/"
		cp "$LAB_DIR/guest-initrd-init" "$tree/init"
		cp "$LAB_DIR/guest-init" "$tree/guest-init"
		for set in "${!GUEST_MODULES[@]}"; do
			: >"$tree/modules/$set"
			# shellcheck disable=SC2086 # a list of words
			guest_module_files "$image" ${GUEST_MODULES[$set]} | while read -r file; do
				name=$(basename "${file%.xz}")
				echo "$name" >>"$tree/modules/$set"
				case $file in
				*.xz)	xz -dc "$image/root$file" ;;
				*)	cat "$image/root$file" ;;
				esac >"$tree/modules/$name"
			done
		done
		(cd "$tree" && find . | cpio --quiet -o -H newc) >"$initrd.$$"
		rm -rf "$tree"
		mv "$initrd.$$" "$initrd"
		cache_prune 2 "$image"/initrd-*
	fi
	echo "$initrd"
}

# guest_disk KIND NUMBER SPEC: add a disk to GUEST_QEMU, and its serial number to GUEST_SERIALS[KIND].
# SPEC is SIZE and words behind colons; it was checked by parse_disk.
guest_disk() {
	local kind=$1 number=$2 spec=$3 serial file options=
	serial=mb$kind$number
	file=$RUN/$serial.raw
	truncate -s "$(numfmt --from=iec "${spec%%:*}")" "$file"
	[[ :$spec: != *:4096:* ]] || options=,logical_block_size=4096,physical_block_size=4096
	GUEST_QEMU+=(-drive "if=none,id=$serial,file=$file,format=raw,cache=unsafe,discard=unmap,aio=threads")
	case $kind in
	nvme)
		GUEST_QEMU+=(-device "nvme,drive=$serial,serial=$serial$options") ;;
	sas)
		[[ $number -gt 0 ]] || GUEST_QEMU+=(-device megasas-gen2,id=sas)
		if [[ :$spec: == *:rotational:* ]]; then
			options+=,rotation_rate=7200
		else
			options+=,rotation_rate=1
		fi
		GUEST_QEMU+=(-device "scsi-hd,bus=sas.0,scsi-id=$number,drive=$serial,serial=$serial$options") ;;
	virtio)
		GUEST_QEMU+=(-device "virtio-blk-pci,drive=$serial,serial=$serial$options") ;;
	esac
	GUEST_SERIALS[$kind]+="$serial "
}

# Fill GUEST_QEMU with QEMU's command line and $RUN/share/job with what the guest's init must know.
guest_prepare() {
	local image=$1 accelerator kind number spec
	local -a append

	accelerator=tcg
	[[ $ICOUNT == yes ]] || accelerator=$(guest_accelerator "$image")
	GUEST_QEMU=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot
		-M q35,sata=off,usb=off,smbus=off,vmport=off -m "$MEMORY")
	case $ICOUNT/$accelerator in
	yes/*)	GUEST_QEMU+=(-accel 'tcg,thread=single' -icount 'shift=0,sleep=off' -smp 1 -cpu 'max,-erms,-fsrm') ;;
	*/kvm)	GUEST_QEMU+=(-accel kvm -smp "$SMP" -cpu host) ;;
	*)	GUEST_QEMU+=(-accel 'tcg,thread=multi' -smp "$SMP" -cpu max) ;;
	esac

	# QEMU 7.2 keeps its translations by virtual address: with addresses that differ each time, every program start is
	# translated anew, and takes three times as long.
	append=(console=ttyS0 panic=-1 oops=panic mitigations=off audit=0 apparmor=0 norandmaps random.trust_cpu=on
		watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120)
	for kind in nvme sas; do
		[[ -z ${DISKS[$kind]} ]] || append+=("lab.modules=$kind")
	done
	GUEST_QEMU+=(-kernel "$(echo "$image"/root/boot/vmlinuz-*)" -initrd "$(guest_initrd "$image")"
		-append "${append[*]}" -serial "file:$RUN/console")

	GUEST_QEMU+=(-drive "if=none,id=labroot,file=$image/root.ext4,format=raw,snapshot=on,cache=unsafe"
		-device 'virtio-blk-pci,drive=labroot,serial=labroot'
		-fsdev "local,id=lab,path=$RUN/share,security_model=none,multidevs=remap"
		-device 'virtio-9p-pci,fsdev=lab,mount_tag=lab' -device virtio-serial-pci)

	declare -gA GUEST_SERIALS=([nvme]='' [sas]='' [virtio]='')
	for kind in nvme sas virtio; do
		number=0
		for spec in ${DISKS[$kind]}; do
			guest_disk "$kind" "$number" "$spec"
			number=$((number + 1))
		done
	done

	{
		printf 'LAB_KERNEL=%q\nLAB_ICOUNT=%q\n' "$KERNEL" "$ICOUNT"
		for kind in nvme sas virtio; do
			printf 'SERIALS_%s=%q\n' "$kind" "${GUEST_SERIALS[$kind]}"
		done
		printf 'JOB=('
		[[ ${#JOB[@]} -eq 0 ]] || printf '%q ' "${JOB[@]}"
		printf ')\n'
	} >"$RUN/share/job"
}

# Put mirrorbal's parts, the script and its files where the guest's init finds them.
guest_files() {
	local image=$1 part number=0 path tar
	mkdir -p "$RUN/share/parts" "$RUN/files"

	for part in $PARTS; do
		if build_has "$part"; then
			tar=$(build_part "$image" "$part") || exit
			number=$((number + 1))
			cp "$tar" "$RUN/share/parts/$number.tar"
		else
			say "nothing to build mirrorbal's $part of: booting without"
		fi
	done

	for path in ${SCRIPT:+"$SCRIPT"} "${FILES[@]}"; do
		[[ -e $path ]] || die "--file $path: no such file"
		[[ ! -e $RUN/files/$(basename "$path") ]] ||
			die "--file $path: the guest's folder already has a $(basename "$path")"
		cp -a --dereference "$path" "$RUN/files/" || die "cannot copy $path"
	done
	[[ -z $SCRIPT ]] || chmod +x "$RUN/files/$(basename "$SCRIPT")"
	tar -C "$RUN/files" -cf "$RUN/share/in.tar" .
	rm -rf "$RUN/files"
}

guest_console_end() {
	say "the last lines of the guest's console, after the first that tells of a fault:"
	# A trace may be longer than what is shown, and says only what came of it.
	{
		head -n -40 "$RUN/console" | grep -m 1 -E "$GUEST_FAULTS"
		tail -n 40 "$RUN/console"
	} | tr -d '\r' >&2
}

# Make a folder for one run, removed at its end, and remove those whose lab was killed.
guest_run_folder() {
	local base=${TMPDIR:-/var/tmp} old
	for old in "$base"/mirrorbal-lab.*; do
		[[ -d $old ]] || continue
		[[ -e /proc/${old##*.} ]] || rm -rf --one-file-system "$old"
	done
	RUN=$base/mirrorbal-lab.$$
	mkdir -m 700 "$RUN" "$RUN/share"
	trap 'rm -rf --one-file-system "$RUN"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	: >"$RUN/console"
}

# Boot the guest with the script's output on stdout, and wait for its end. Status as QEMU's, or timeout's.
guest_boot() {
	local qemu printer status
	rm -f "$RUN"/output.{in,out}
	mkfifo "$RUN/output.in" "$RUN/output.out"
	cat <"$RUN/output.out" &
	printer=$!
	# QEMU ends with us, however we end.
	TMPDIR=$RUN setpriv --pdeathsig TERM timeout -k 5 "$TIMEOUT" "${GUEST_QEMU[@]}" \
		-chardev "pipe,id=output,path=$RUN/output" -device 'virtserialport,chardev=output,name=lab.output' \
		</dev/null >&2 &
	qemu=$!
	# shellcheck disable=SC2064 # the values of now
	trap "kill $qemu $printer 2>/dev/null; wait; rm -rf --one-file-system '$RUN'" EXIT
	wait "$qemu"
	status=$?
	# A QEMU that never opened its end would leave the printer waiting.
	: <>"$RUN/output.out"
	wait "$printer"
	[[ -z $CONSOLE ]] || tr -d '\r' <"$RUN/console" >"$CONSOLE"
	return "$status"
}

# Under emulation a CPU may run an instruction that another is patching and that is whole again by then: a kernel that
# starts patches much, and one in some hundred dies of it ("Oops: int3"). Nothing of ours has run by then.
GUEST_BOOTS=3

guest_died_starting() {
	[[ ! -e $RUN/share/began ]] && grep -q 'Kernel panic' "$RUN/console"
}

# Run the guest. Exits with the script's status, 124 for a guest that was still running after TIMEOUT seconds, 125 for
# one that died or whose kernel complained.
guest_run() {
	local status faults began started boots=0
	while :; do
		boots=$((boots + 1))
		started=$SECONDS
		began=$(date +%s.%N)
		guest_boot
		status=$?
		[[ $boots -lt $GUEST_BOOTS ]] && guest_died_starting || break
		guest_console_end
		say "the guest died before the script began: starting it again"
	done

	if [[ $status -ne 0 && $((SECONDS - started)) -ge $TIMEOUT ]]; then
		guest_console_end
		say "the guest was still running after $TIMEOUT s (--timeout)"
		return 124
	fi
	if [[ -n $OUT && -e $RUN/share/out.tar ]]; then
		mkdir -p "$OUT"
		tar -C "$OUT" --no-same-owner -xf "$RUN/share/out.tar"
	fi
	if [[ ! -e $RUN/share/status ]]; then
		guest_console_end
		say "the guest died without a status"
		return 125
	fi
	faults=$(tr -d '\r' <"$RUN/console" | grep -E "$GUEST_FAULTS")
	if [[ -n $faults ]]; then
		guest_console_end
		say "the guest's kernel complained:"
		echo "$faults" >&2
		return 125
	fi
	status=$(cat "$RUN/share/status")
	say "$KERNEL: script began $(guest_seconds "$began" "$RUN/share/began") s after the guest's start," \
		"ran $(guest_seconds "$(stat -c %.9Y "$RUN/share/began")" "$RUN/share/status") s, status $status"
	return "$status"
}

# guest_seconds FROM FILE: real seconds from then to when FILE was written.
guest_seconds() {
	stat -c %.9Y "$2" | awk -v from="$1" '{ printf "%.1f", $1 - from }'
}

# A guest with a terminal instead of a script.
guest_shell() {
	[[ -t 0 ]] || die "shell needs a terminal"
	GUEST_QEMU+=(-chardev 'stdio,id=terminal,mux=on,signal=off' -device 'virtconsole,chardev=terminal')
	printf 'SIZE=%q\n' "$(stty size)" >>"$RUN/share/job"
	say "a shell in the guest; leave with exit, kill the guest with Ctrl-a x; console log: $RUN/console"
	TMPDIR=$RUN "${GUEST_QEMU[@]}"
}
