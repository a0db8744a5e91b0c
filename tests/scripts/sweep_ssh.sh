#!/bin/bash
# The same as sweep_parallel.sh, over ssh to this machine. Needs: openssh-server, parallel. Starts its own sshd with its own
# keys on a port of its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
port=${PORT:-22022}
ssh-keygen -q -t ed25519 -N '' -f "$keys/host"
ssh-keygen -q -t ed25519 -N '' -f "$keys/user"
mkdir -p /run/sshd
$(command -v sshd || echo /usr/sbin/sshd) -D -f /dev/null -p "$port" -h "$keys/host" -o ListenAddress=127.0.0.1 \
    -o AuthorizedKeysFile="$keys/user.pub" -o StrictModes=no -o PermitRootLogin=prohibit-password -o PidFile=none \
    -o MaxStartups=100 2> "$keys/log" & server=$!
trap 'kill $server 2> /dev/null; wait; rm -rf "$keys"' EXIT
export PARALLEL_SSH="ssh -p $port -i $keys/user -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=$keys/known -o LogLevel=ERROR"
for attempt in $(seq 40); do
    $PARALLEL_SSH localhost true 2> /dev/null && break
    [ "$attempt" = 40 ] && { cat "$keys/log" >&2; exit 1; }
    sleep 0.25
done
HOSTS="2/localhost" "$here/sweep_parallel.sh"
