#!/usr/bin/env bash
# Ensures that the local engine has the base images of Tenantry and its tenants. Each is pulled; without a registry,
# a stand-in with the same name is built from Debian's packages and the npm registry. README.md lists the differences.
#
#   docker/offline/build.sh [--force]      --force: replace existing images
#
# PULL_SECONDS (180): timeout of one pull. TMPDIR (/var/tmp): needs about 1 GB, without nodev and noexec.
# XDG_CACHE_HOME (~/.cache): keeps what was built as a tarball, by the content of this folder; an engine without images loads it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
base=tenantry/stand-in-base
label=org.tenantry.stand-in=true
. "$here/debian.sh"

case "${1-}" in
  '') force= ;;
  --force) force=yes ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

say() { printf 'images: %s (%d s)\n' "$*" "$SECONDS"; }
die() { printf 'images: %s\n' "$*" >&2; exit 1; }
has_image() { docker image inspect "$1" >/dev/null 2>&1; }
is_missing() { [[ -n $force ]] || ! has_image "$1"; }

docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || die 'no Docker engine answers; start one (dockerd) first'

# One at a time: concurrent tests need the same images.
exec 9<"$here"
flock 9

declare -A fresh # bases of this run, by suite
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tenantry-images.XXXXXX")
clean_up() {
  umount -R "$work"/base/{proc,sys} 2>/dev/null || true # an interrupted debootstrap leaves them mounted
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Pulls one image. After the first failure no other pull is tried, so that a timeout occurs only once.
registry_answers=yes
pull() {
  [[ -n $registry_answers ]] || return 1
  say "pulling $1"
  timeout "${PULL_SECONDS:-180}" docker pull --quiet "$1" >/dev/null 2>"$work/pull.log" && return 0
  say "cannot pull $1: $(tail -n 1 "$work/pull.log")"
  registry_answers=
  return 1
}

# The base of stand-ins: a minimal Debian that trusts the same certificates as this machine.
build_base() { # suite
  local suite=$1
  if [[ -n ${fresh[$suite]-} ]] || ! is_missing "$base:$suite"; then return 0; fi
  [[ $EUID -eq 0 ]] || die 'building stand-ins needs root'
  command -v debootstrap >/dev/null || die 'building stand-ins needs debootstrap (apt-get install debootstrap)'

  local root=$work/base main security
  main=$(main_mirror)
  security=$(security_mirror)

  say "building $base:$suite from $main"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$main" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; die 'debootstrap failed'; }

  printf 'deb %s %s main\n' "$main" "$suite" "$main" "$suite-updates" "$security" "$suite-security" >"$root/etc/apt/sources.list"
  cp "$here"/base/dpkg.cfg "$root/etc/dpkg/dpkg.cfg.d/container"
  cp "$here"/base/apt.conf "$root/etc/apt/apt.conf.d/container"
  # A mirror that is a snapshot has indexes that expired; this machine's apt says whether it takes them.
  if command -v apt-config >/dev/null; then
    apt-config --no-empty dump Acquire::Check-Valid-Until Acquire::Check-Date >"$root/etc/apt/apt.conf.d/mirror"
  fi
  install -m 755 "$here"/base/policy-rc.d "$root/usr/sbin/policy-rc.d"
  trust_host_certificates "$root"
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,info,locale}/* "$root"/var/log/*

  tar -C "$root" --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' --exclude=./etc/hostname --exclude=./etc/resolv.conf -c . |
    docker import --change "LABEL $label" --change 'CMD ["bash"]' \
      --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
      --change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
      - "$base:$suite" >/dev/null
  rm -rf --one-file-system "$root"
  fresh[$suite]=yes
}

# Adds the certificates that this machine has and Debian lacks (such as a company proxy's) as local ones, so that
# they survive an update of ca-certificates in the image.
trust_host_certificates() { # root of the file system
  local bundle=/etc/ssl/certs/ca-certificates.crt
  [[ -r $bundle ]] || return 0
  awk -v dir="$1/usr/local/share/ca-certificates" '
    /BEGIN CERTIFICATE/ { pem = "" }
    { pem = pem $0 "\n" }
    /END CERTIFICATE/ {
      if (NR == FNR) known[pem]
      else if (!(pem in known)) { file = sprintf("%s/host-%d.crt", dir, ++n); printf "%s", pem >file; close(file) }
    }' "$1$bundle" "$bundle"
  chroot "$1" update-ca-certificates >/dev/null 2>&1
}

# Builds one stand-in from its folder here and the files collected in $work/<folder>.
build() { # image, folder, suite of its base if it has several
  local old suite=${3-}
  say "building $1"
  old=$(docker image inspect --format '{{.Id}}' "$1" 2>/dev/null || true)
  mkdir -p "$work/$2"
  cp -r "$here/$2/." "$work/$2/"
  docker build --quiet --force-rm --label "$label" --tag "$1" \
    --build-arg "suite=$suite" --build-arg http_proxy --build-arg https_proxy --build-arg no_proxy "$work/$2" >"$work/build.log" 2>&1 ||
    { tail -n 30 "$work/build.log" >&2; die "building $1 failed"; }
  [[ -z $old || $old == "$(docker image inspect --format '{{.Id}}' "$1")" ]] ||
    docker rmi "$old" >/dev/null 2>&1 || true # fails while a container or a tag uses it
}

# Node and npm from the npm registry, in the layout of /usr/local.
gather_node() {
  local prefix=$work/node/local arch
  [[ ! -e $prefix ]] || return 0
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) die "no Node for $(uname -m)" ;;
  esac
  command -v npm >/dev/null || die 'building the Node image needs npm'
  mkdir -p "$prefix/etc"
  npm install --global --prefix "$prefix" --ignore-scripts --no-fund --no-audit --silent "node-linux-$arch@24" npm@11
  rm -f "$prefix/bin/node"
  mv "$prefix/lib/node_modules/node-linux-$arch/bin/node" "$prefix/bin/node"
  rm -rf "$prefix/lib/node_modules/node-linux-$arch" "$prefix"/lib/node_modules/npm/{docs,man}
  printf 'registry=%s\n' "$(npm config get registry --loglevel=error)" >"$prefix/etc/npmrc"
}

images=(node:24-trixie-slim node:24-bookworm-slim mariadb:11.8 nginx:1.30 tenantry/systemd-machine:24)
content=$(cd "$here" && { uname -m; find . -type f ! -name README.md -exec sha256sum {} + | sort; } | sha256sum | cut -c 1-16)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tenantry
tarball=$cache/base-images-$content.tar

# The engine's build cache does not know loaded images: they would be built again.
if [[ -z $force && -r $tarball ]]; then
  if ! docker image inspect "${images[@]}" >/dev/null 2>&1; then
    say "loading $tarball"
    docker load --quiet --input "$tarball" >/dev/null
  fi
  say 'all here'
  exit
fi

for image in "${images[@]:0:4}"; do
  if ! is_missing "$image"; then say "$image is here"; continue; fi
  if pull "$image"; then continue; fi
  suite=trixie
  if [[ $image == *-bookworm-* ]]; then suite=bookworm; fi
  build_base "$suite"
  case $image in
    node:*) gather_node; build "$image" node "$suite" ;;
    mariadb:*) build "$image" mariadb ;;
    nginx:*) build "$image" nginx ;;
  esac
done
# No registry has this image. It is built on the Node image; the engine's cache detects what has not changed.
build "${images[4]}" systemd
say "keeping $tarball"
mkdir -p "$cache"
docker save --output "$tarball.new" "${images[@]}"
find "$cache" -name 'base-images-*.tar' -delete
mv "$tarball.new" "$tarball"
say 'all here'
