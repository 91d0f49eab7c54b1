#!/bin/sh
# Starts the manager after installing and building what is missing. The manager takes this process over (exec): signals reach it
# directly, its exit code is this one's, and no other process stays.
set -e
cd "$(dirname "$0")/.."
node scripts/bootstrap.mjs
. scripts/manager-environment.sh
PATH="$PWD/node_modules/.bin:$PATH"
exec node src/main.ts "$@"
