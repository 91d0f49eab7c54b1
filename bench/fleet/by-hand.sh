#!/bin/sh
# Upgrades tenants that ../deploy/by-hand.sh has deployed, one after the other, as an operator's loop would: the peer of
# fleet.ts. Clone and two images once; then for each tenant: stop, dump, migrations, two containers, a wait until both answer.
#
#   by-hand.sh <repository> <tag> <slug:frontend port:api port>...
#
# Everything that it creates has the label org.tenantry.bench=$BENCH_LABEL. Dumps go to $TMPDIR.
set -eu

repository=$1 tag=$2
shift 2
docker=${DOCKER:-docker}
label=org.tenantry.bench=$BENCH_LABEL
checkout=$(mktemp -d)
trap 'rm -rf "$checkout"' EXIT

git clone --quiet --depth 1 --branch "$tag" "file://$repository" "$checkout" 2>/dev/null
commit=$(git -C "$checkout" rev-parse HEAD)
for unit in api frontend; do
  "$docker" build --quiet --force-rm --label "$label" --target "$unit" --tag "by-hand/$unit:$commit" "$checkout" >/dev/null
done
scripts=$(sed -n '/^  scripts:/,$s/^ *- //p' "$checkout/tenant.yaml")

for tenant in "$@"; do
  slug=${tenant%%:*} ports=${tenant#*:}
  frontend_port=${ports%%:*} api_port=${ports#*:}
  volumes="--volume $slug-data:/data --volume $slug-imports:/tmp/imports"

  # The operator's env file: the container's environment, without what comes from the image and the unit.
  "$docker" inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$slug-api" |
    grep -E '^(DATABASE_URL|API_KEYS|HOST|IMPORT_DIR|APP_NAME)=' >"$checkout/.env"
  printf 'APP_VERSION=%s\nAPP_COMMIT=%s\n' "$tag" "$commit" >>"$checkout/.env"
  MYSQL_PWD=$(sed -n 's|^DATABASE_URL=mysql://app:\([^@]*\)@.*|\1|p' "$checkout/.env")
  export MYSQL_PWD

  "$docker" stop "$slug-api" "$slug-frontend" >/dev/null
  "$docker" exec --env MYSQL_PWD "$slug-db" mariadb-dump --user=app --single-transaction --routines --triggers app |
    gzip -1 >"${TMPDIR:-/tmp}/$slug.sql.gz"
  "$docker" rm "$slug-api" "$slug-frontend" >/dev/null
  for script in $scripts; do
    # shellcheck disable=SC2086 # word splitting is intended
    "$docker" run --rm --label "$label" --network "$slug" --env-file "$checkout/.env" $volumes \
      "by-hand/api:$commit" node "scripts/$script.js" >/dev/null
  done
  # shellcheck disable=SC2086
  "$docker" run --detach --label "$label" --name "$slug-api" --network "$slug" --restart unless-stopped \
    --env-file "$checkout/.env" --env PORT=8000 --publish "127.0.0.1:$api_port:8000" $volumes "by-hand/api:$commit" >/dev/null
  # shellcheck disable=SC2086
  "$docker" run --detach --label "$label" --name "$slug-frontend" --network "$slug" --restart unless-stopped \
    --env-file "$checkout/.env" --env PORT=3000 --publish "127.0.0.1:$frontend_port:3000" $volumes \
    "by-hand/frontend:$commit" >/dev/null
  tries=0
  until curl --silent --fail --max-time 5 "http://127.0.0.1:$api_port/api/health" >/dev/null &&
    curl --silent --fail --max-time 5 "http://127.0.0.1:$frontend_port/" >/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || exit 1
    sleep 0.1
  done
done
