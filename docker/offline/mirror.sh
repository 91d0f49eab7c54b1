# shellcheck shell=bash
# Sourced by other scripts: the Debian mirror of this machine's apt, or Debian's own address.

# The archive that has the suite <this machine's codename><suffix>.
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
