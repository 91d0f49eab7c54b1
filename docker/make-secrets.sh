#!/bin/sh
# Writes the secrets that compose.yaml needs to .env: generated once, readable by this user only, never replaced.
# You can run it any number of times: it adds missing secrets and changes nothing else.
set -eu
umask 077

cd "$(dirname "$0")/.."
file=.env

random() { # BYTES; prints hexadecimal digits
  od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'
}

has() { # NAME; succeeds if its value is not empty
  [ -f "$file" ] && grep -Eq "^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*=[[:space:]]*[\"']?[^\"'[:space:]#]" "$file"
}

missing=
for name in SECRET_KEY STORE_PASSWORD ADMIN_PASSWORD; do
  has "$name" || missing="$missing $name"
done

# New secrets do not match the data of an earlier start.
case $missing in
  *SECRET_KEY* | *STORE_PASSWORD*)
    # Without the engine, the script cannot know whether volumes exist.
    if ! reason=$(docker version --format '{{.Server.Version}}' 2>&1); then
      printf 'No secrets were made: the Docker engine does not answer: %s\n' "$reason" >&2
      echo "Start the engine, or run this as a user who may use it." >&2
      exit 1
    fi
    project=${COMPOSE_PROJECT_NAME:-$(sed -n 's/^COMPOSE_PROJECT_NAME=//p' "$file" 2>/dev/null | tail -n 1)}
    project=${project:-tenantry}
    for volume in "${project}_store" "${project}_data"; do
      if docker volume inspect "$volume" >/dev/null 2>&1; then
        cat >&2 <<EOF
No secrets were made: the volume $volume of an earlier start exists, and $PWD/$file lacks$missing.
New secrets would not fit the data in it. Do one of the following, then run this again:
  - put SECRET_KEY and STORE_PASSWORD of the earlier start back into $file
  - remove the volumes with all data in them:
    SECRET_KEY=- STORE_PASSWORD=- ADMIN_PASSWORD=- docker compose --profile '*' down --volumes
EOF
        exit 1
      fi
    done
    ;;
esac

if [ -n "$missing" ]; then
  lines=
  # A file that was edited by hand may end without a line break.
  if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then lines="
"; fi
  for name in $missing; do
    case $name in
      SECRET_KEY) value=$(random 32) ;;
      STORE_PASSWORD) value=$(random 24) ;;
      ADMIN_PASSWORD) value=$(random 12) ;;
    esac
    [ -n "$value" ] || { echo "No random bytes could be read from /dev/urandom." >&2; exit 1; }
    lines="$lines$name=$value
"
  done
  printf '%s' "$lines" >>"$file"
  echo "Added to $PWD/$file:$missing. Keep this file: the data is lost without it."
else
  echo "$PWD/$file has all secrets; nothing was changed."
fi
chmod 600 "$file"
