#!/bin/sh
# Makes the secrets that docker/stack/stack.yaml needs, and gives them to the swarm. Run it on a manager node; it needs openssl.
#
#   docker/stack/make-secrets.sh NAME ADDRESS IMAGE
#
# NAME, ADDRESS: of the node with the label org.tenantry.data=yes: as all nodes resolve it, and as all containers reach it.
# IMAGE: the manager's image, which hashes the registry's password.
# The folder stack-secrets keeps what was made (readable by this user only): store a copy in a safe place. Files and secrets that exist
# stay as they are, so you can run it any number of times.
set -eu
umask 077

if [ $# -ne 3 ]; then sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; fi
name=$1 address=$2 image=$3
case "$name$address" in
  *[!A-Za-z0-9.-]*) echo "NAME and ADDRESS must be a host name and an IPv4 address, without a port." >&2; exit 2 ;;
esac
command -v openssl >/dev/null || { echo "openssl is not installed." >&2; exit 1; }
docker secret ls --quiet >/dev/null || { echo "This engine is no manager of a swarm." >&2; exit 1; }

random() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; } # BYTES

mkdir -p stack-secrets
cd stack-secrets
[ -s store-root-password ] || random 24 >store-root-password
[ -s registry-password ] || random 24 >registry-password
[ -s registry-certificate ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
  -subj "/CN=$name" -addext "subjectAltName=DNS:$name" -keyout registry-key -out registry-certificate 2>/dev/null
hash="import { text } from 'node:stream/consumers'; import bcrypt from 'bcrypt';
  console.log('tenantry:' + (await bcrypt.hash(await text(process.stdin), 10)));"
[ -s registry-users ] || docker run --rm --interactive --network none "$image" node --input-type=module --eval "$hash" \
  <registry-password >registry-users
[ -s manager.env ] || cat >manager.env <<END
DATABASE_URL=mysql://root:$(cat store-root-password)@store:3306/tenantry
TENANT_DATABASE_URL=mysql://root:$(cat store-root-password)@store:3306
TENANT_DATABASE_ADDRESS=$address:3306
SECRET_KEY=$(random 32)
ADMIN_PASSWORD=$(random 12)
SWARM_REGISTRY=$name:5000
SWARM_REGISTRY_USER=tenantry
SWARM_REGISTRY_PASSWORD=$(cat registry-password)
END

there=" $(docker secret ls --format '{{.Name}}' | tr '\n' ' ')"
while read -r secret file; do
  case $there in
    *" $secret "*) echo "$secret exists; it was not changed." ;;
    *) docker secret create "$secret" "$file" >/dev/null && echo "$secret was created." ;;
  esac
done <<END
tenantry-manager manager.env
tenantry-store-root store-root-password
tenantry-registry-certificate registry-certificate
tenantry-registry-key registry-key
tenantry-registry-users registry-users
END
echo "Keep a copy of $PWD in a safe place: without it the encrypted values in the store are lost."
