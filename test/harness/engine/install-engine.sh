#!/usr/bin/env bash
# Puts the Docker engine of a Debian suite (bookworm: 20.10, trixie: 26.1, sid: the newest) into a folder of its own, without changing
# this machine: its programs use the suite's own C library. Prints the engine's version; an engine that is there stays.
#
#   install-engine.sh SUITE FOLDER
#   PATH=FOLDER/bin:$PATH dockerd …      needs this machine's iptables; one engine at a time in a network namespace
set -euo pipefail
suite=$1 folder=$2
. "$(dirname "${BASH_SOURCE[0]}")/../../../docker/offline/debian.sh"

if [[ ! -e $folder/complete ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"/{bin,lib}
  packages=(docker.io containerd runc libc6 libsystemd0 libcap2 libseccomp2 libgcrypt20 libgpg-error0 liblzma5 libzstd1 liblz4-1)
  case $suite in
    bookworm) packages+=(tini libdevmapper1.02.1 libudev1 libselinux1 libpcre2-8-0) ;;
    trixie) packages+=(tini docker-cli) ;;
    *) packages+=(tini-static docker-cli) ;;
  esac
  extract_packages "$suite" "$folder/root" "${packages[@]}"
  find "$folder/root" -name '*.so*' \( -type f -o -type l \) -exec cp -aL {} "$folder/lib/" \; 2>/dev/null
  for program in dockerd docker-proxy containerd containerd-shim-runc-v2 ctr runc docker; do
    cp "$(find "$folder/root/usr" -name "$program" -type f -perm -u+x -print -quit)" "$folder/bin/$program"
    # A static program has no interpreter. `--force-rpath`: also for the libraries of its libraries.
    if interpreter=$(patchelf --print-interpreter "$folder/bin/$program" 2>/dev/null); then
      patchelf --set-interpreter "$folder/lib/${interpreter##*/}" --force-rpath --set-rpath "$folder/lib" "$folder/bin/$program"
    fi
  done
  # Containers get it mounted and have another C library.
  cp "$folder/root/usr/bin/tini-static" "$folder/bin/docker-init"
  rm -rf "$folder/root"
  : >"$folder/complete"
fi
"$folder/bin/dockerd" --version
