# shellcheck shell=bash
# Sourced by other scripts: Debian's archive as this machine reaches it, and packages of another suite without changing this machine.

# The mirror that apt has for the suite <this machine's codename><suffix>, or the default address.
mirror() { # suffix, default address
  local codename address=
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")
  if command -v apt-get >/dev/null; then
    address=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
      awk -v suite="$codename$1" '$2 == suite && !found { print $1; found = 1 }')
  fi
  printf '%s' "${address:-$2}"
}

main_mirror() { mirror '' http://deb.debian.org/debian; }
security_mirror() { mirror -security http://deb.debian.org/debian-security; }

# Extracts packages of a suite into a folder; apt checks their signatures. A package that the suite lacks is an error.
# dpkg installs nothing, and this machine's package sources do not change.
extract_packages() { # suite, folder, packages …
  local suite=$1 folder=$2 apt work deb
  shift 2
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/tenantry-packages.XXXXXX")
  mkdir -p "$work"/{state/lists/partial,cache/archives/partial,none,debs} "$folder"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$(main_mirror)" "$suite" >"$work/sources.list"
  apt=(apt-get -qq
    -o Dir::State="$work/state" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache"
    -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/none"
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$work/none"
    -o Acquire::Languages=none -o APT::Sandbox::User=root)
  if "${apt[@]}" update && (cd "$work/debs" && "${apt[@]}" download "$@"); then
    for deb in "$work"/debs/*.deb; do dpkg-deb --extract "$deb" "$folder"; done
    rm -rf "$work"
  else
    rm -rf "$work"
    return 1
  fi
}
