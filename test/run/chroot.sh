# shellcheck shell=bash
#
# Chroots with other PostgreSQL versions and for other machines, which are kept in /var/cache/iuid,
# and the commands of ./dev in them.  Read after library.sh.

chroots=${IUID_CHROOTS:-/var/cache/iuid}

# The chroot for a name: the versions of PostgreSQL in it, those of them that the name needs, the suites
# of Debian, and the machine.
#  - A version, or "upgrade", is in the one chroot that has all versions, so that debootstrap and apt
#    run once.  Of its suites the first is the base: the others give what it has not, or an older
#    version of.  They are without security updates, which can write what the last release of the
#    next version does not read.
#  - A suite is a plain Debian, with the version of PostgreSQL that Debian has there.
#  - Another machine is a plain Debian, too.
describe_chroot() {
	machine=$(dpkg --print-architecture)
	case $1 in
		15 | 17 | 18 | 19 | upgrade) majors='15 17 18 19' suites='forky experimental trixie bookworm' ;;
		bookworm) majors=15 suites='bookworm bookworm-security' ;;
		trixie) majors=17 suites=trixie ;;
		forky) majors=18 suites=forky ;;
		arm64 | i386 | s390x) majors=17 suites=trixie machine=$1 ;;
		*) die "no Debian suite is known here for $1; there are PostgreSQL 15, 17, 18 and 19, arm64, i386 and s390x" ;;
	esac
	needed=$majors
	[[ $1 != [0-9]* ]] || needed=$1
	root=$chroots/pg${majors// /-}
	[ "$machine" = "$(dpkg --print-architecture)" ] || root+=-$machine
}

# The archive that this machine gets its own packages from, or the one beside it that has the security
# updates.
archive() {
	local archive
	archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
	case $1 in
		*-security) echo "${archive%/}-security/" ;;
		*) echo "$archive" ;;
	esac
}

archive_reached() {
	/usr/lib/apt/apt-helper download-file "$(archive "$1")dists/$1/InRelease" "$work/InRelease.$1" >/dev/null 2>&1
}

make_chroot() {
	local base=${suites%% *} script suite
	script=$base
	[ -e "/usr/share/debootstrap/scripts/$script" ] || script=sid

	say "Making a chroot of $base for PostgreSQL $majors on $machine (a minute or two)"
	as_root rm -rf "$root.new"
	as_root mkdir -p "$root.new"
	emulate debootstrap --variant=minbase --arch="$machine" "$base" "$root.new" "$(archive "$base")" "$script" >"$work/debootstrap.log" 2>&1 ||
		{ tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap of $base failed"; }
	# A mirror may lag behind the date until which a moving suite is valid.
	echo 'Acquire::Check-Valid-Until "false";' | as_root tee "$root.new/etc/apt/apt.conf.d/mirror" >/dev/null
	for suite in ${suites#"$base"}; do
		echo "deb $(archive "$suite") $suite main" | as_root tee -a "$root.new/etc/apt/sources.list.d/suites.list" >/dev/null
		[ "$suite" != experimental ] ||
			printf 'Package: /^postgresql/ /^libpq/\nPin: release a=%s\nPin-Priority: 990\n' "$suite" |
			as_root tee "$root.new/etc/apt/preferences.d/$suite" >/dev/null
	done
	emulate chroot "$root.new" apt-get update >/dev/null 2>&1 || die "the packages of $suites cannot be listed"
	as_root mv "$root.new" "$root.bare"
}

# Makes the chroot of a name where there is none yet, in which the commands install what they need,
# and beside it $root.bare, in which nothing is ever installed; false if they cannot be had.
have_chroot() {
	local version
	describe_chroot "$1"
	install_packages debootstrap tar util-linux
	is_native || install_packages qemu-user-static
	# One run at a time works on the chroots.
	as_root mkdir -p "$chroots"
	exec 9<"$chroots"
	flock --nonblock 9 || { say "Waiting for another run that works on the chroots"; flock 9; }
	[ -d "$root.bare" ] || make_bare_chroot "$1" || return 1
	for version in $needed; do
		emulate chroot "$root.bare" apt-cache show "postgresql-$version" >/dev/null 2>&1 && continue
		say "=== SKIPPED: $1: the Debian archive has no postgresql-$version in $suites for $machine ==="
		return 1
	done
	[ -d "$root" ] || as_root cp -a "$root.bare" "$root"
}

make_bare_chroot() {
	local suite
	for suite in $suites; do
		if ! archive_reached "$suite"; then
			say "=== SKIPPED: $1: the Debian archive cannot be reached for $suite ==="
			return 1
		fi
	done
	make_chroot
}

# --- another machine -----------------------------------------------------

is_native() {
	case $machine-$(dpkg --print-architecture) in
		"$machine-$machine" | i386-amd64) ;;
		*) false ;;
	esac
}

# Runs a command as root, while the kernel hands programs of the machine to qemu.
emulate() {
	if is_native; then
		as_root "$@"
		return
	fi
	as_root unshare --mount sh -euc '
		emulator=qemu-$1 kernel=/proc/sys/fs/binfmt_misc
		shift
		mount -t binfmt_misc binfmt_misc $kernel
		[ -e "$kernel/$emulator" ] || cat "/usr/lib/binfmt.d/$emulator.conf" >$kernel/register
		exec "$@"
	' emulate "${machine/arm64/aarch64}" "$@"
}

# --- a run in a chroot ---------------------------------------------------

# Runs a command of ./dev in the chroot of a name.  The mounts and processes of a run are
# its own, and end with it.
run_in_chroot() {
	describe_chroot "$1"
	local tmp=$work/tmp.$1 build=()
	shift
	# In qemu clang takes minutes for what inlining in queries needs.
	is_native || build=(MAKEFLAGS=with_llvm=no)
	as_root mkdir -p "$root/run/iuid"
	# On the disk, as here: a benchmark takes more room than memory has.
	mkdir -p -m 1777 "$tmp"
	tar -C "$tree" --exclude=./.git -cf - . |
		emulate unshare --mount --pid --fork bash -euc '
			root=$1 major=$2 tmp=$3
			shift 3
			mount -t proc proc "$root/proc"
			mount --rbind /dev "$root/dev"
			mount --bind "$tmp" "$root/tmp"
			mount -t tmpfs tmpfs "$root/run/iuid"
			tar --no-same-owner -C "$root/run/iuid" -xf -
			exec chroot "$root" env -i PATH="$PATH" PG_MAJOR="$major" LC_ALL=C.UTF-8 "$@"
		' matrix "$root" "${needed##* }" "$tmp" "${build[@]}" /run/iuid/dev "$@"
}

# --- a copy of a chroot --------------------------------------------------

# Runs a program of this machine while a copy of a chroot is mounted.  The mounts and processes end with
# the program; what was written into the copy is there for the next one.
beside() {
	local copy=$1 original=$2
	shift 2
	as_root mkdir -p "$copy/root" "$copy/changes" "$copy/work"
	as_root unshare --mount --pid --fork --kill-child --mount-proc bash -euc '
		copy=$1 original=$2
		shift 2
		mount -t overlay -o "lowerdir=$original,upperdir=$copy/changes,workdir=$copy/work" overlay "$copy/root"
		mount -t proc proc "$copy/root/proc"
		mount --rbind /dev "$copy/root/dev"
		exec "$@"
	' beside "$copy" "$original" "$@"
}

# Runs a program in a copy of a chroot.
inside() {
	beside "$1" "$2" env -i -C / PATH="$PATH" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		chroot "$1/root" "${@:3}"
}

# Runs a command, and prints what it said if it fails.
quietly() {
	"$@" >"$work/quiet.log" 2>&1 || { cat "$work/quiet.log"; return 1; }
}
