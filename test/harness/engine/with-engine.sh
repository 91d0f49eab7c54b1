#!/usr/bin/env bash
# Runs a command with a Docker engine of its own, which ends with it: in a network namespace with a way out (10.98.0.0/24) and with
# a /run of its own, so that the machine's own engine and tests of it stay as they are. Needs root.
#
#   with-engine.sh ENGINE STORE DATA COMMAND …
#
# ENGINE: a folder of install-engine.sh. STORE: `graph` (overlay2) or `containerd` (containerd's image store, from 26.1 on).
# DATA: the engine's data root, which stays. ENGINE_OPTIONS: more options of dockerd, by spaces.
set -euo pipefail
engine=$(realpath "$1") store=$2 data=$(realpath -m "$3")
shift 3
space=tenantry-engine link=tenantry-engine subnet=10.98.0

rules() { # -I | -D
  iptables -w -t nat "$1" POSTROUTING -s $subnet.0/24 ! -d $subnet.0/24 -j MASQUERADE
  iptables -w "$1" FORWARD -s $subnet.0/24 -j ACCEPT
  iptables -w "$1" FORWARD -d $subnet.0/24 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
}

down() {
  rules -D 2>/dev/null || true
  ip link del $link 2>/dev/null || true
  ip netns del $space 2>/dev/null || true
}

# One at a time on a machine. The command does not keep the lock.
exec 9>"/tmp/tenantry-with-engine.lock"
flock 9
down
trap down EXIT
trap 'exit 130' INT TERM
mkdir -p "$data"
ip netns add $space
ip -n $space link set lo up
ip link add $link type veth peer name eth0 netns $space
ip addr add $subnet.1/24 dev $link
ip link set $link up
ip -n $space addr add $subnet.2/24 dev eth0
ip -n $space link set eth0 up
ip -n $space route add default via $subnet.1
sysctl -qw net.ipv4.ip_forward=1
rules -I

export PATH=$engine/bin:$PATH
features=$([[ $store == containerd ]] && echo true || echo false)
printf '{"features": {"containerd-snapshotter": %s}}\n' "$features" >"$data/daemon.json"
# Where the root is an overlay itself, overlay2 cannot lie on it; plain copies can.
export driver=
if [[ $store == graph && $(stat --file-system --format %T "$data") == overlayfs ]]; then driver=--storage-driver=vfs; fi

# `--kill-child`: what the engine started ends with this command, also after a kill.
nsenter --net=/run/netns/$space unshare --mount --propagation private --pid --fork --mount-proc --kill-child bash -c '
  set -euo pipefail
  data=$1
  shift
  mount -t tmpfs -o mode=755 run /run
  mkdir /run/lock
  read -ra more <<<"${ENGINE_OPTIONS-}"
  dockerd --config-file "$data/daemon.json" --data-root "$data/root" $driver "${more[@]}" >"$data/dockerd.log" 2>&1 &
  for _ in {1..120}; do
    docker version >/dev/null 2>&1 && break
    kill -0 $! || { tail -n 50 "$data/dockerd.log"; exit 1; }
    sleep 0.5
  done
  docker version >/dev/null
  "$@"
' engine "$data" "$@" 9>&-
