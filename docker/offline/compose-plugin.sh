#!/usr/bin/env bash
# Installs `docker compose` if the engine lacks it, as Debian 12's does: extracts the plugin from Debian 13's package
# docker-compose, which also runs on Debian 12. apt checks the package's signature; dpkg installs nothing, and this
# machine's package sources do not change.
set -euo pipefail

if docker compose version >/dev/null 2>&1; then exit 0; fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/mirror.sh"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tenantry-compose.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

mkdir -p "$work"/{state/lists/partial,cache/archives/partial,none}
printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' "$(main_mirror)" >"$work/sources.list"
apt=(apt-get -qq
  -o Dir::State="$work/state" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache"
  -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/none"
  -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$work/none"
  -o Acquire::Languages=none -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$work" && "${apt[@]}" download docker-compose)
dpkg-deb --extract "$work"/docker-compose_*.deb "$work/package"

if [[ $EUID -eq 0 ]]; then plugins=/usr/local/lib/docker/cli-plugins; else plugins=$HOME/.docker/cli-plugins; fi
mkdir -p "$plugins"
install -m 755 "$(find "$work/package" -type f -name docker-compose -perm -100 -print -quit)" "$plugins/docker-compose"
docker compose version
