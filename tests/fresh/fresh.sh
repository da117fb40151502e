#!/bin/sh
# fresh.sh DIR [COMMAND...]: the README's commands (./dev demo, ./dev check; or those given) on a machine that has nothing: a
# minimal Debian in DIR/root, made by debootstrap where it is not there yet, with a clone of this tree's last commit in it.
# Needs root, debootstrap and the network; how this machine's apt reaches its repositories is copied into the new one.
# TILESIGHT_FRESH_SUITE names another release of Debian than this machine's (trixie).
set -eu

dir=$1
shift
[ $# -gt 0 ] || set -- './dev demo' './dev check'
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=$dir/root
here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
suite=${TILESIGHT_FRESH_SUITE:-$here}

say() { printf 'fresh: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

[ "$(id -u)" -eq 0 ] || die 'this needs root: it makes a Debian system in a folder and enters it'
command -v unshare >/dev/null || die 'unshare is not there; it comes with util-linux'

mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI)|$(CODENAME)|$(COMPONENT)' 'Created-By: Packages' |
        awk -F'|' -v codename="$here" '$2 == codename && $3 == "main" { print $1; exit }'
}

make_root() {
    command -v debootstrap >/dev/null || die 'debootstrap is not there: apt-get install debootstrap'
    address=$(mirror)
    [ -n "$address" ] || die "apt knows no repository of $here to make the system from"
    say "making a minimal $suite in $root"
    mkdir -p "$dir"
    debootstrap --variant=minbase "$suite" "$root.new" "$address" >"$dir/debootstrap.log" ||
        die "debootstrap failed; see $dir/debootstrap.log"
    mv "$root.new" "$root"
}

# Sources, proxies and logins of apt, and the resolver; a package manager's own settings stay as the new system has them.
copy_network() {
    rm -f "$root/etc/apt/sources.list"
    for part in sources.list sources.list.d auth.conf auth.conf.d keyrings trusted.gpg.d; do
        [ ! -e "/etc/apt/$part" ] || cp -RL "/etc/apt/$part" "$root/etc/apt/"
    done
    # Another release is at the same places.
    [ "$suite" = "$here" ] || find "$root/etc/apt" -type f -name '*sources*' -exec sed -i "s/$here/$suite/g" {} +
    grep -hs '^ *Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* >"$root/etc/apt/apt.conf.d/99fresh" || true
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
}

# The clone is made here, so that the new system needs no git for it.
copy_tree() {
    command -v git >/dev/null || die 'git is not there: apt-get install git'
    rm -rf "$root/tilesight"
    git -c safe.directory='*' clone -q --no-hardlinks "$tree" "$root/tilesight"
}

# Run in the new system, in namespaces that end with it; nothing of this machine's environment but the proxies.
enter() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c '
        set -e
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            ${TILESIGHT_CHECK:+TILESIGHT_CHECK="$TILESIGHT_CHECK"} /bin/sh -c "cd /tilesight && $2"' \
        sh "$root" "$1" </dev/null
}

[ -x "$root/bin/sh" ] || make_root
copy_network
copy_tree
for command in "$@"; do
    say "$command"
    start=$(date +%s)
    enter "$command" || die "'$command' failed on a fresh $suite"
    say "'$command' succeeded after $(($(date +%s) - start)) seconds"
done
