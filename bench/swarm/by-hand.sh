#!/bin/sh
# Deploys one tenant of the sample application to a swarm by hand, as an operator's script would: the peer of deploy.ts. Clone, two
# images, registry, database, secret, network, migrations, two services, and a wait until Swarm says that both run and both answer.
#
#   by-hand.sh <repository> <tag> <slug> <frontend port> <api port>
#
# DOCKER_HOST is a manager of the swarm, STORAGE its storage, REGISTRY its registry; MARIADB_HOST, MARIADB_PORT and MARIADB_USER are
# the server, whose password is in MYSQL_PWD.
set -eu

repository=$1 tag=$2 slug=$3 frontend_port=$4 api_port=$5
password=$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')
api_key=$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')
checkout=$(mktemp -d)
trap 'rm -rf "$checkout"' EXIT

git clone --quiet --depth 1 --branch "$tag" "file://$repository" "$checkout" 2>/dev/null
commit=$(git -C "$checkout" rev-parse HEAD)
for unit in api frontend; do
  docker build --quiet --force-rm --target "$unit" --tag "$REGISTRY/by-hand/$unit:$commit" "$checkout" >/dev/null
  docker push --quiet "$REGISTRY/by-hand/$unit:$commit" >/dev/null
done
image() { docker image inspect --format '{{index .RepoDigests 0}}' "$REGISTRY/by-hand/$1:$commit"; }

database=$(echo "$slug" | tr - _)
mariadb --host="$MARIADB_HOST" --port="$MARIADB_PORT" --user="$MARIADB_USER" --execute="
  CREATE DATABASE $database; CREATE USER $database IDENTIFIED BY '$password'; GRANT ALL ON $database.* TO $database"
mkdir -p "$STORAGE/$slug/data" "$STORAGE/$slug/imports"
chown 1000:1000 "$STORAGE/$slug/data" "$STORAGE/$slug/imports"
docker secret create "$slug" - >/dev/null <<END
export DATABASE_URL=mysql://$database:$password@$MARIADB_HOST:$MARIADB_PORT/$database
export API_KEYS=$api_key
export IMPORT_DIR=/tmp/imports/$slug
export APP_NAME=$slug
export APP_VERSION=$tag
export APP_COMMIT=$commit
exec "\$@"
END
docker network create --driver overlay "$slug" >/dev/null

service() { # <name> <options …>
  name=$1
  shift
  docker service create --detach --quiet --name "$slug-$name" --network "$slug" --endpoint-mode dnsrr --init --cap-drop ALL \
    --constraint node.labels.org.tenantry.storage==ok --replicas-max-per-node 1 \
    --secret "source=$slug,target=environment,uid=1000,gid=1000,mode=0400" \
    --mount "type=bind,source=$STORAGE/$slug/data,target=/data" \
    --mount "type=bind,source=$STORAGE/$slug/imports,target=/tmp/imports/$slug" \
    --limit-memory 512M --limit-cpu 1 --limit-pids 256 --reserve-memory 256M --reserve-cpu 0.02 \
    --env HOST=0.0.0.0 --entrypoint /bin/sh "$@" >/dev/null
}
until_state() { # <name> <state>
  tries=0
  until docker service ps --format '{{.CurrentState}}' "$slug-$1" | grep -q "^$2"; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || exit 1
    sleep 0.2
  done
}

for script in $(sed -n '/^  scripts:/,$s/^ *- //p' "$checkout/tenant.yaml"); do
  service "$script" --restart-condition none --no-healthcheck "$(image api)" /run/secrets/environment node "scripts/$script.js"
  until_state "$script" Complete
  docker service rm "$slug-$script" >/dev/null
done

serve() { # <unit> <port> <published port> <page>
  fetch="fetch('http://127.0.0.1:$2$4').then(() => process.exit(0), () => process.exit(1))"
  service "$1" --env "PORT=$2" --publish "mode=host,target=$2,published=$3" --health-cmd "node -e \"$fetch\"" \
    --health-interval 5s --health-timeout 10s --health-start-period 300s --health-retries 6 \
    --restart-delay 2s --restart-max-attempts 10 --restart-window 10m --stop-grace-period 10s \
    "$(image "$1")" /run/secrets/environment node "$1/server.js"
}
serve api 8000 "$api_port" /api/health
serve frontend 3000 "$frontend_port" /
until_state api Running
until_state frontend Running

answers() { # <port> <page>
  for node in 10.99.0.1 10.99.0.2 10.99.0.3; do
    curl --silent --fail --max-time 5 --output /dev/null "http://$node:$1$2" && return
  done
  return 1
}
tries=0
until answers "$api_port" /api/health && answers "$frontend_port" /; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || exit 1
  sleep 0.1
done
