#!/bin/sh
# As in the real image: what lies in /docker-entrypoint.d is run before nginx. It is empty here.
set -e
if [ "${1-}" = nginx ]; then
  for file in /docker-entrypoint.d/*.sh; do
    if [ -x "$file" ]; then "$file"; fi
  done
fi
exec "$@"
