# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of mirrorbal's verbs, options, arrays and devices.

_mirrorbal_arrays() {
	dmsetup ls --target mirrorbal 2>/dev/null | awk '!/^No devices/ { print $1 }'
}

_mirrorbal_devices() {
	compgen -f -- "${1:-/dev/}"
}

_mirrorbal_legs() {
	local count
	count=$(dmsetup status --target mirrorbal "$1" 2>/dev/null | awk '{ print $5; exit }')
	[[ $count ]] && printf 'leg%s\n' $(seq 0 $((count - 1)))
}

_mirrorbal_policies='nearest-head round-robin sequential-affinity queue-length split adaptive'

_mirrorbal() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
	local words=
	COMPREPLY=()

	if ((COMP_CWORD == 1)); then
		words='create assemble stop status stats policy set wait fail table examine erase simulate bench --help --version'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $prev in
	--layout) words='n2 n3 n4 f2 f3 o2 o3' ;;
	--chunk) words='64K 128K 256K 512K 1M' ;;
	--policy) words=$_mirrorbal_policies ;;
	--wipe | --copy-from | --write-mostly)
		compopt -o filenames
		mapfile -t COMPREPLY < <(_mirrorbal_devices "$cur")
		return
		;;
	--job)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -W 'raid10 homelab' -- "$cur"; compgen -f -- "$cur")
		return
		;;
	--size | --seconds | --interval | --count | --legs | --leg-size | --depth) return ;;
	esac
	if [[ $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	if [[ $cur == -* ]]; then
		case $verb in
		create)
			words='--layout --chunk --policy --write-mostly --assume-clean --copy-from
				--wipe --size --dry-run --json --yes'
			;;
		status | policy | examine) words='--json' ;;
		table) words='--degraded --json' ;;
		stats) words='--interval --count --total --json' ;;
		assemble) words='--all --degraded --dry-run' ;;
		fail) words='--yes' ;;
		erase) words='--wipe --yes' ;;
		bench) words='--job --seconds --size --destroy-data --layout --chunk --policy --json --yes' ;;
		simulate) words='--legs --layout --chunk --leg-size --policy --depth --json' ;;
		esac
		mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "$cur")
		return
	fi
	case $verb in
	create | examine | erase | simulate | bench)
		[[ $verb == create && $COMP_CWORD -eq 2 ]] && return
		compopt -o filenames
		mapfile -t COMPREPLY < <(_mirrorbal_devices "$cur")
		return
		;;
	esac
	if ((COMP_CWORD == 2)); then
		words=$(_mirrorbal_arrays)
	elif ((COMP_CWORD == 3)); then
		case $verb in
		policy) words=$_mirrorbal_policies ;;
		set) words='write-mostly resync resync-limit counters bytes window' ;;
		fail) words=$(_mirrorbal_legs "${COMP_WORDS[2]}") ;;
		esac
	elif [[ $verb == set && ${COMP_WORDS[3]} == write-mostly ]]; then
		case $COMP_CWORD in
		4) words=$(_mirrorbal_legs "${COMP_WORDS[2]}") ;;
		5) words='on off' ;;
		esac
	elif [[ $verb == set && ${COMP_WORDS[3]} == counters ]]; then
		words=reset
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _mirrorbal mirrorbal
