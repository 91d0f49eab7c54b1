#!/usr/bin/env bash
# Installs `docker compose` if the engine lacks it, as Debian 12's does: extracts the plugin from Debian 13's package
# docker-compose, which also runs on Debian 12.
set -euo pipefail

if docker compose version >/dev/null 2>&1; then exit 0; fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/debian.sh"
package=$(mktemp -d "${TMPDIR:-/var/tmp}/tenantry-compose.XXXXXX")
trap 'rm -rf "$package"' EXIT
trap 'exit 130' INT TERM
extract_packages trixie "$package" docker-compose

if [[ $EUID -eq 0 ]]; then plugins=/usr/local/lib/docker/cli-plugins; else plugins=$HOME/.docker/cli-plugins; fi
mkdir -p "$plugins"
install -m 755 "$(find "$package" -type f -name docker-compose -perm -100 -print -quit)" "$plugins/docker-compose"
docker compose version
