#!/bin/sh
# Deploys one tenant of the sample application by hand, as an operator's script would: the peer of deploy.ts.
# Clone, two images, network, database, migrations, two containers, and a wait until both answer.
#
#   by-hand.sh <repository> <tag> <slug> <frontend port> <api port>
#
# Everything that it creates has the label org.tenantry.bench=$BENCH_LABEL. DOCKER is the docker program; DOCKER_BUILDKIT
# selects its builder, as usual.
set -eu

repository=$1 tag=$2 slug=$3 frontend_port=$4 api_port=$5
docker=${DOCKER:-docker}
label=org.tenantry.bench=$BENCH_LABEL
password=$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')
api_key=$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')
checkout=$(mktemp -d)
trap 'rm -rf "$checkout"' EXIT
step() { echo "$(date +%s.%N) $1"; }

step clone
git clone --quiet --depth 1 --branch "$tag" "file://$repository" "$checkout" 2>/dev/null
commit=$(git -C "$checkout" rev-parse HEAD)

step build
for unit in api frontend; do
  "$docker" build --quiet --force-rm --label "$label" --target "$unit" --tag "by-hand/$unit:$commit" "$checkout" >/dev/null
done

step database
"$docker" network create --label "$label" "$slug" >/dev/null
for holds in db data imports; do "$docker" volume create --label "$label" "$slug-$holds" >/dev/null; done
"$docker" run --detach --label "$label" --name "$slug-db" --network "$slug" --restart unless-stopped \
  --volume "$slug-db:/var/lib/mysql" \
  --env MARIADB_DATABASE=app --env MARIADB_USER=app --env MARIADB_PASSWORD="$password" \
  --env MARIADB_RANDOM_ROOT_PASSWORD=1 "${MARIADB_IMAGE:-mariadb:11.8}" >/dev/null
# Over TCP, because the temporary server that sets up the data directory listens on its socket only.
# Polling more often would slow the server's first start by a second on a small machine.
tries=0
until "$docker" exec "$slug-db" mariadb --protocol=tcp --host=127.0.0.1 --user=app --password="$password" \
  --execute='SELECT 1' app >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 240 ] || exit 1
  sleep 0.5
done

cat >"$checkout/.env" <<END
DATABASE_URL=mysql://app:$password@$slug-db:3306/app
API_KEYS=$api_key
HOST=0.0.0.0
IMPORT_DIR=/tmp/imports
APP_NAME=$slug
APP_VERSION=$tag
APP_COMMIT=$commit
END
volumes="--volume $slug-data:/data --volume $slug-imports:/tmp/imports"

step migrations
# shellcheck disable=SC2086 # word splitting is intended
for script in $(sed -n '/^migrations:/,/^[^ ]/s/^ *- //p' "$checkout/tenant.yaml"); do
  "$docker" run --rm --label "$label" --network "$slug" --env-file "$checkout/.env" $volumes \
    "by-hand/api:$commit" node "scripts/$script.js"
done

step services
# shellcheck disable=SC2086
"$docker" run --detach --label "$label" --name "$slug-api" --network "$slug" --restart unless-stopped \
  --env-file "$checkout/.env" --env PORT=8000 --publish "127.0.0.1:$api_port:8000" $volumes "by-hand/api:$commit" >/dev/null
# shellcheck disable=SC2086
"$docker" run --detach --label "$label" --name "$slug-frontend" --network "$slug" --restart unless-stopped \
  --env-file "$checkout/.env" --env PORT=3000 --publish "127.0.0.1:$frontend_port:3000" $volumes \
  "by-hand/frontend:$commit" >/dev/null

step health
tries=0
until curl --silent --fail --max-time 5 "http://127.0.0.1:$api_port/api/health" >/dev/null &&
  curl --silent --fail --max-time 5 "http://127.0.0.1:$frontend_port/" >/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || exit 1
  sleep 0.1
done
step done
