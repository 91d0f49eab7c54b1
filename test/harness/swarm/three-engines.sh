#!/usr/bin/env bash
# Three Docker engines as three hosts on one machine, joined as the managers of one swarm: each has a network, mount, process and
# host-name namespace of its own. A bridge connects them with this machine, which is 10.99.0.254. Needs root.
#
#   three-engines.sh up DIR [PORT] ends what an earlier run left, then: engines, swarm, registry (10.99.0.254:5000),
#                                  shared storage (DIR/storage); PORT: where Docker Hub's images are on this machine, without it
#                                  the engines get the base image
#   three-engines.sh lose DIR N    the host is gone: engine, shims, containers and mounts end at one moment
#   three-engines.sh kill DIR N    kill -9 of the engine alone: its containers go on running, and serving
#   three-engines.sh start DIR N   the engine again, after either
#   three-engines.sh cut DIR N     its link is down; heal DIR N
#   three-engines.sh unmount DIR N the storage is gone on one host; running tasks keep it, new ones do not start; mount DIR N
#   three-engines.sh run DIR N PROGRAM… on one host, whose /etc/docker is its own and whose /etc/hosts has registry.stack (node 3)
#   three-engines.sh stop-registry DIR   the registry is away; start-registry DIR
#   three-engines.sh down DIR      ends all of it, removes DIR
#
# The kernel has VXLAN but no IPVS: services need `dnsrr` and ports in host mode. `unshare --pid`: killing a namespace's first process
# is the only kill that ends shims and containers as the loss of a host does.
set -euo pipefail
verb=$1 dir=$(realpath -m "$2") n=${3:-}
subnet=10.99.0 fabric=tenantry-fabric link=tenantry-host base=node:24-bookworm-slim
# As this machine's engine: where overlay2 can't lie on the root, plain copies can.
driver=$(docker info --format '{{.Driver}}')
# containerd's image store has a driver of the same kind, which is not an engine's own.
if [[ $driver == overlayfs ]]; then driver=overlay2; fi
sock() { echo "unix://$dir/$1/docker.sock"; }
node() { docker -H "$(sock "$1")" "${@:2}"; }

# A node's first process does nothing but collect the dead.
machine() {
  local i=$1 outer
  nsenter --net=/run/netns/tenantry-node$i unshare --mount --propagation private --uts --pid --fork --mount-proc --kill-child \
    bash -c 'hostname "$1" && mount -t tmpfs -o mode=755 run /run && mkdir /run/lock && mount --bind "$4" /etc/docker &&
      { cat /etc/hosts && echo "$3.3 registry.stack"; } >/run/hosts && mount --bind /run/hosts /etc/hosts && : >"$2"; while :; do sleep 3600 & wait $!; done' \
    init node$i "$dir/$i/up" $subnet "$dir/$i/etc" >>"$dir/$i/log" 2>&1 </dev/null &
  outer=$!
  for _ in {1..100}; do [ -e "$dir/$i/up" ] && break; sleep 0.05; done
  rm "$dir/$i/up"
  pgrep -P $outer >"$dir/$i/init"
}

inside() { local i=$1; shift; nsenter --target "$(cat "$dir/$i/init")" --net --mount --uts --pid "$@"; }

engine() {
  local i=$1
  ! docker -H "$(sock "$i")" version >/dev/null 2>&1 || return 0
  kill -0 "$(cat "$dir/$i/init" 2>/dev/null)" 2>/dev/null || machine "$i"
  inside "$i" rm -f /run/docker.pid "$dir/$i/docker.sock"
  (exec nsenter --target "$(cat "$dir/$i/init")" --net --mount --uts --pid setsid dockerd --data-root "$dir/$i/data" -H "$(sock "$i")" -H unix:///run/docker.sock \
    --storage-driver "$driver" --cgroup-parent /tenantry-node$i --insecure-registry $subnet.254/32 $(cat "$dir/mirror")) >>"$dir/$i/log" 2>&1 </dev/null &
  for _ in {1..120}; do docker -H "$(sock "$i")" version >/dev/null 2>&1 && return; sleep 0.5; done
  tail "$dir/$i/log" >&2
  return 1
}

rules() { # -I | -D
  iptables -w -t nat "$1" POSTROUTING -s $subnet.0/24 ! -d $subnet.0/24 -j MASQUERADE
  iptables -w "$1" FORWARD -s $subnet.0/24 -j ACCEPT
  iptables -w "$1" FORWARD -d $subnet.0/24 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
}

up() {
  local starting=()
  [ ! -e "$dir" ] || down
  mkdir -p "$dir/shared" "$dir/storage" /etc/docker
  echo "${n:+--registry-mirror=http://$subnet.254:$n}" >"$dir/mirror"
  mount --bind "$dir/shared" "$dir/storage"
  ip netns add $fabric
  ip -n $fabric link add br0 type bridge
  ip -n $fabric link set br0 up
  ip link add $link type veth peer name host netns $fabric
  ip -n $fabric link set host master br0 up
  ip addr add $subnet.254/24 dev $link
  ip link set $link up
  sysctl -qw net.ipv4.ip_forward=1
  rules -I
  for i in 1 2 3; do
    local ns=tenantry-node$i
    ip netns add $ns
    ip -n $ns link set lo up
    ip -n $fabric link add port$i type veth peer name eth0 netns $ns
    ip -n $ns addr add $subnet.$i/24 dev eth0
    ip -n $ns link set eth0 up
    ip -n $ns route add default via $subnet.254
    ip -n $fabric link set port$i master br0 up
    mkdir -p "$dir/$i/etc"
    engine $i &
    starting+=($!)
  done
  wait "${starting[@]}"
  for i in 1 2 3; do docker -H "$(sock $i)" version >/dev/null; done
  node 1 swarm init --advertise-addr $subnet.1 >/dev/null
  local token
  token=$(node 1 swarm join-token --quiet manager)
  for i in 2 3; do node $i swarm join --token "$token" --advertise-addr $subnet.$i $subnet.1:2377 >/dev/null; done
  for i in 1 2 3; do node 1 node update --label-add org.tenantry.storage=ok node$i >/dev/null; done
  if [ -z "$n" ]; then
    docker save --output "$dir/base.tar" "$base"
    for i in 1 2 3; do node $i load --quiet --input "$dir/base.tar" >/dev/null; done
    rm "$dir/base.tar"
  fi
  registry
}

registry() {
  mkdir -p "$dir/registry"
  cat >"$dir/registry.yml" <<EOF
version: 0.1
log: { level: warn }
storage: { filesystem: { rootdirectory: $dir/registry }, delete: { enabled: true } }
http: { addr: $subnet.254:5000 }
EOF
  (exec setsid docker-registry serve "$dir/registry.yml") >"$dir/registry.log" 2>&1 </dev/null &
  echo $! >"$dir/registry.pid"
  for _ in {1..100}; do (exec 3<>/dev/tcp/$subnet.254/5000) 2>/dev/null && return; sleep 0.1; done
  cat "$dir/registry.log" >&2
  return 1
}

stop_registry() { [ ! -f "$dir/registry.pid" ] || kill "$(cat "$dir/registry.pid")" 2>/dev/null || true; }

lose() {
  [ -f "$dir/$1/init" ] || return 0
  kill -KILL "$(cat "$dir/$1/init")" 2>/dev/null || true
  while kill -0 "$(cat "$dir/$1/init")" 2>/dev/null; do sleep 0.05; done
  rm -f "$dir/$1/init"
  find /sys/fs/cgroup -mindepth 1 -depth -type d -path "*/tenantry-node$1*" -exec rmdir {} + 2>/dev/null || true
}

down() {
  stop_registry
  for i in 1 2 3; do
    lose $i
    ip netns del tenantry-node$i 2>/dev/null || true
  done
  ip link del $link 2>/dev/null || true
  ip netns del $fabric 2>/dev/null || true
  rules -D 2>/dev/null || true
  while umount -l "$dir/storage" 2>/dev/null; do :; done
  rm -rf --one-file-system "$dir"
}

case $verb in
  up | down) $verb ;;
  lose) lose "$n" ;;
  kill) kill -KILL "$(pgrep -x dockerd --ns "$(cat "$dir/$n/init")" --nslist pid)" ;;
  start) engine "$n" ;;
  stop-registry) stop_registry ;;
  start-registry) registry ;;
  cut) ip -n $fabric link set port$n down ;;
  heal) ip -n $fabric link set port$n up ;;
  unmount) inside "$n" umount -l "$dir/storage" ;;
  run) inside "$n" "${@:4}" ;;
  mount) inside "$n" mount --bind "$dir/shared" "$dir/storage" ;;
  *) sed -n 2,15p "$0" >&2; exit 2 ;;
esac
