#!/bin/sh
# As in the real image, the scripts in /docker-entrypoint.d run before nginx. The folder is empty here.
set -e
if [ "${1-}" = nginx ]; then
  for file in /docker-entrypoint.d/*.sh; do
    if [ -x "$file" ]; then "$file"; fi
  done
fi
exec "$@"
