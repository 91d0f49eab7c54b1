#!/usr/bin/env bash
# The checks of the real image's healthcheck.sh that Tenantry uses. All named checks must pass.
#   --connect               the server accepts TCP connections (the set-up server does not)
#   --innodb_initialized    InnoDB has finished starting
set -euo pipefail

sql() {
  mariadb --defaults-file=/var/lib/mysql/.my-healthcheck.cnf --skip-column-names --batch \
    --protocol=tcp --host=127.0.0.1 --connect-timeout=5 --execute="$1"
}

[[ $# -gt 0 ]] || { echo 'healthcheck: name at least one check' >&2; exit 2; }
for check in "$@"; do
  case $check in
    --connect) sql 'SELECT 1' >/dev/null ;;
    --innodb_initialized)
      [[ $(sql "SELECT 1 FROM information_schema.ENGINES WHERE engine = 'InnoDB' AND support IN ('YES', 'DEFAULT')") == 1 ]] ;;
    *) echo "healthcheck: unknown check $check" >&2; exit 2 ;;
  esac
done
