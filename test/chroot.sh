# shellcheck shell=bash
#
# Chroots with other PostgreSQL versions, which are kept in /var/cache/iuid, and the commands of
# ./dev in them.  Read after library.sh.

chroots=${IUID_CHROOTS:-/var/cache/iuid}

suite_of() {
	case $1 in
		15) echo bookworm ;;
		17) echo trixie ;;
		18) echo forky ;;
		19) echo experimental ;;
		*) die "PostgreSQL $1 is in no Debian suite that is known here; there are 15, 17, 18 and 19" ;;
	esac
}

# The archive that this machine gets its own packages from.
archive() {
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1
}

archive_reached() {
	/usr/lib/apt/apt-helper download-file "$(archive)dists/$1/InRelease" "$work/InRelease.$1" >/dev/null 2>&1
}

make_chroot() {
	local major=$1 root=$2 suite base script
	suite=$(suite_of "$major")
	base=$suite
	[ "$suite" != experimental ] || base=forky
	script=$base
	[ -e "/usr/share/debootstrap/scripts/$script" ] || script=sid

	say "Making a chroot of $base for PostgreSQL $major (a minute or two)"
	as_root rm -rf "$root.new"
	as_root mkdir -p "$root.new"
	as_root debootstrap --variant=minbase "$base" "$root.new" "$(archive)" "$script" >"$work/debootstrap.log" 2>&1 ||
		{ tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap of $base failed"; }
	# A mirror may lag behind the date until which a moving suite is valid.
	echo 'Acquire::Check-Valid-Until "false";' | as_root tee "$root.new/etc/apt/apt.conf.d/mirror" >/dev/null
	if [ "$suite" != "$base" ]; then
		echo "deb $(archive) $suite main" | as_root tee "$root.new/etc/apt/sources.list.d/$suite.list" >/dev/null
		printf 'Package: /^postgresql/ /^libpq/\nPin: release a=%s\nPin-Priority: 990\n' "$suite" |
			as_root tee "$root.new/etc/apt/preferences.d/$suite" >/dev/null
	fi
	as_root mv "$root.new" "$root"
}

# Makes the chroot of a version where there is none yet; false if it cannot be had.
have_chroot() {
	local major=$1 suite
	suite=$(suite_of "$major")
	install_packages debootstrap tar util-linux
	# One run at a time works on the chroots.
	as_root mkdir -p "$chroots"
	exec 9<"$chroots"
	flock --nonblock 9 || { say "Waiting for another run that works on the chroots"; flock 9; }
	[ ! -d "$chroots/pg$major" ] || return 0
	if ! archive_reached "$suite"; then
		say "=== SKIPPED: PostgreSQL $major: the Debian archive cannot be reached for $suite ==="
		return 1
	fi
	make_chroot "$major" "$chroots/pg$major"
}

# Runs a command of ./dev there.  The mounts and processes of a run are
# its own, and end with it.
run_in_chroot() {
	local major=$1 root=$chroots/pg$1 tmp=$work/tmp.$1
	shift
	as_root mkdir -p "$root/run/iuid"
	# On the disk, as here: a benchmark takes more room than memory has.
	mkdir -p -m 1777 "$tmp"
	tar -C "$tree" --exclude=./.git -cf - . |
		as_root unshare --mount --pid --fork bash -euc '
			root=$1 major=$2 tmp=$3
			shift 3
			mount -t proc proc "$root/proc"
			mount --rbind /dev "$root/dev"
			mount --bind "$tmp" "$root/tmp"
			mount -t tmpfs tmpfs "$root/run/iuid"
			tar --no-same-owner -C "$root/run/iuid" -xf -
			exec chroot "$root" env -i PATH="$PATH" PG_MAJOR="$major" LC_ALL=C.UTF-8 /run/iuid/dev "$@"
		' matrix "$root" "$major" "$tmp" "$@"
}
