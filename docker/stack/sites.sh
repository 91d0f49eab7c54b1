#!/bin/sh
# nginx on one node of a swarm: runs with the configuration that the manager writes to the shared storage, and reloads it whenever
# the manager has written the list of its files again. See docs/operations.md, "As a stack".
set -u
config=$PROXY_DIRECTORY/nginx.conf
list=$PROXY_DIRECTORY/files.sha256

until [ -s "$config" ]; do sleep 1; done
nginx -c "$config" -g 'daemon off;' &
master=$!
trap 'kill -QUIT "$master"' TERM INT QUIT

loaded=
while kill -0 "$master" 2>/dev/null; do
  sleep 1 &
  wait $!
  wanted=$(cat "$list" 2>/dev/null) || continue
  [ "$wanted" != "$loaded" ] || continue
  # A node may see new files later than the list. What nginx refuses is tried again; its log has the reason.
  sha256sum --check --status "$list" || continue
  nginx -t -q -c "$config" && kill -HUP "$master" && loaded=$wanted
done
wait "$master"
