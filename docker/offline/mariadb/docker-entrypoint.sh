#!/usr/bin/env bash
# Starts MariaDB and, on an empty data directory, sets it up first, from the same variables as the real image:
# MARIADB_ROOT_PASSWORD, MARIADB_RANDOM_ROOT_PASSWORD, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD, MARIADB_ROOT_HOST,
# MARIADB_DATABASE, MARIADB_USER and MARIADB_PASSWORD. Each may end in _FILE and then names a file that holds
# the value; each may begin with MYSQL_ instead. /docker-entrypoint-initdb.d may hold *.sql, *.sql.gz and *.sh.
set -euo pipefail
shopt -s nullglob

data=/var/lib/mysql
socket=/run/mysqld/mysqld.sock
unfinished=$data/.setup-unfinished # exists during the set-up; an interrupted set-up starts again

say() { printf 'entrypoint: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

# Sets MARIADB_<name> from itself, its _FILE form or its MYSQL_ forms.
read_variable() { # name, default
  local name=MARIADB_$1 value=${2-} form
  for form in "MARIADB_$1" "MYSQL_$1"; do
    if [[ -n ${!form-} ]]; then value=${!form}; break; fi
    local file=${form}_FILE
    if [[ -n ${!file-} ]]; then value=$(<"${!file}"); break; fi
  done
  unset "MYSQL_$1" "MYSQL_$1_FILE" "MARIADB_$1_FILE"
  printf -v "$name" '%s' "$value"
}

quote_text() { local s=${1//\\/\\\\}; printf "'%s'" "${s//\'/\'\'}"; }
quote_name() { printf '`%s`' "${1//\`/\`\`}"; }
random_password() { head -c 24 /dev/urandom | base64 | tr '+/' '-_'; }

root_password= # root's current password: none at first
sql() { MYSQL_PWD=$root_password mariadb --no-defaults --skip-ssl --protocol=socket --socket="$socket" --user=root "$@"; }

# The statements that create accounts and the database. Secrets reach the server through standard input only.
setup_statements() {
  local root host=$MARIADB_ROOT_HOST health
  root=$(quote_text "$MARIADB_ROOT_PASSWORD")
  printf 'SET @@SESSION.SQL_LOG_BIN = 0;\n'
  # mariadb-install-db also leaves a root without password for each of this machine's names.
  printf "DELETE FROM mysql.global_priv WHERE User = 'root' AND Host <> 'localhost';\nFLUSH PRIVILEGES;\n"
  printf 'ALTER USER root@localhost IDENTIFIED BY %s;\n' "$root"
  if [[ -n $host && $host != localhost ]]; then
    printf 'CREATE USER root@%s IDENTIFIED BY %s;\n' "$(quote_text "$host")" "$root"
    printf 'GRANT ALL ON *.* TO root@%s WITH GRANT OPTION;\n' "$(quote_text "$host")"
    printf "GRANT PROXY ON ''@'%%' TO root@%s WITH GRANT OPTION;\n" "$(quote_text "$host")"
  fi
  health=$(random_password)
  for host in 127.0.0.1 ::1 localhost; do
    printf 'CREATE USER healthcheck@%s IDENTIFIED BY %s;\n' "$(quote_text "$host")" "$(quote_text "$health")"
  done
  (umask 077 && printf '[mariadb-client]\nport=3306\nuser=healthcheck\npassword=%s\n' "$health" >"$data/.my-healthcheck.cnf")
  if [[ -n $MARIADB_DATABASE ]]; then
    printf 'CREATE DATABASE IF NOT EXISTS %s;\n' "$(quote_name "$MARIADB_DATABASE")"
  fi
  if [[ -n $MARIADB_USER ]]; then
    printf "CREATE USER %s@'%%' IDENTIFIED BY %s;\n" "$(quote_text "$MARIADB_USER")" "$(quote_text "$MARIADB_PASSWORD")"
    if [[ -n $MARIADB_DATABASE ]]; then
      # An underscore in a database's name is a wildcard in GRANT.
      printf "GRANT ALL ON %s.* TO %s@'%%';\n" "$(quote_name "${MARIADB_DATABASE//_/\\_}")" "$(quote_text "$MARIADB_USER")"
    fi
  fi
}

run_init_file() { # file
  say "running $1"
  case $1 in
    *.sh) bash "$1" ;;
    *.sql) sql ${MARIADB_DATABASE:+--database="$MARIADB_DATABASE"} <"$1" ;;
    *.sql.gz) gunzip -c "$1" | sql ${MARIADB_DATABASE:+--database="$MARIADB_DATABASE"} ;;
    *) say "ignoring $1" ;;
  esac
}

set_up() {
  read_variable ROOT_PASSWORD
  read_variable RANDOM_ROOT_PASSWORD
  read_variable ALLOW_EMPTY_ROOT_PASSWORD
  read_variable ROOT_HOST %
  read_variable DATABASE
  read_variable USER
  read_variable PASSWORD
  if [[ -z $MARIADB_ROOT_PASSWORD && -n $MARIADB_RANDOM_ROOT_PASSWORD ]]; then
    MARIADB_ROOT_PASSWORD=$(random_password)
    say "GENERATED ROOT PASSWORD: $MARIADB_ROOT_PASSWORD"
  fi
  [[ -n $MARIADB_ROOT_PASSWORD || -n $MARIADB_ALLOW_EMPTY_ROOT_PASSWORD ]] ||
    die 'set one of MARIADB_ROOT_PASSWORD, MARIADB_RANDOM_ROOT_PASSWORD, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD'
  [[ -z $MARIADB_USER || -n $MARIADB_PASSWORD ]] || die 'MARIADB_USER needs MARIADB_PASSWORD'
  [[ $MARIADB_USER != root ]] || die 'MARIADB_USER cannot be root: that account is there already'

  say 'setting up an empty data directory'
  find "$data" -mindepth 1 -delete
  touch "$unfinished"
  mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve \
    >/tmp/install-db.log 2>&1 || { cat /tmp/install-db.log >&2; die 'mariadb-install-db failed'; }

  # A server without network access does the rest, without TLS as in the real image: generating a key takes long.
  "$@" --skip-networking --skip-ssl --socket="$socket" &
  local server=$! tries=0 file
  until sql --execute='SELECT 1' >/dev/null 2>&1; do
    kill -0 "$server" 2>/dev/null || die 'the server ended while it was being set up'
    ((++tries < 300)) || die 'the server did not answer within 60 s'
    sleep 0.2
  done
  if [[ -z ${MARIADB_INITDB_SKIP_TZINFO-} ]]; then
    { echo 'SET @@SESSION.SQL_LOG_BIN = 0;'; mariadb-tzinfo-to-sql --skip-write-binlog /usr/share/zoneinfo 2>/dev/null; } | sql --database=mysql
  fi
  setup_statements | sql
  root_password=$MARIADB_ROOT_PASSWORD
  for file in /docker-entrypoint-initdb.d/*; do run_init_file "$file"; done
  kill "$server"
  wait "$server" || die 'the server did not end well after its set-up'
  rm "$unfinished"
  say 'set-up done'
}

if [[ $# -eq 0 || $1 == -* ]]; then set -- mariadbd "$@"; fi
if [[ $1 == mariadbd || $1 == mysqld ]]; then
  shift
  set -- mariadbd "$@"
  if [[ $EUID -eq 0 ]]; then
    chown mysql:mysql /run/mysqld
    find "$data" \! -user mysql -exec chown mysql:mysql {} +
    exec setpriv --reuid=mysql --regid=mysql --init-groups "${BASH_SOURCE[0]}" "$@"
  fi
  if [[ ! -d $data/mysql || -e $unfinished ]]; then set_up "$@"; fi
  unset "${!MARIADB_@}" "${!MYSQL_@}"
fi
exec "$@"
