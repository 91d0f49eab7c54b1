#!/bin/bash
# What an operator types: by-hand.sh dump|load <port> <database> <file>. MYSQL_PWD holds the password.
set -euo pipefail
server=(--no-defaults --protocol=tcp --host=127.0.0.1 "--port=$2" --user=admin --skip-ssl)
case $1 in
  dump) mariadb-dump "${server[@]}" --single-transaction --routines --triggers "$3" | gzip >"$4" ;;
  load) gunzip -c "$4" | mariadb "${server[@]}" "$3" ;;
esac
