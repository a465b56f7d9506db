#!/bin/sh
# Lets an agent in at the broker, and prints its new password and nothing else. Run again, it replaces the password.
#   docker compose exec -T mosquitto sh /mosquitto/config/add-agent.sh TENANT_ID/AGENT_ID
set -eu
usage='usage: add-agent.sh TENANT_ID/AGENT_ID (the id of the tenant as the API shows it, and agent_id of agent.yaml)'
[ "${1:-}" != --help ] || { echo "$usage"; exit; }
user=${1:-}
if ! printf '%s' "$user" | grep -Eqx '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[A-Za-z0-9_-]{1,64}'; then
  echo "$usage" >&2
  exit 1
fi
password=$(od -An -tx1 -N24 /dev/urandom | tr -d ' \n')
printf '%s' "$password" | sh "$(dirname -- "$0")/set-user.sh" "$user"
# the broker reads its password file again
kill -HUP "${MOSQUITTO_PID:-1}"
echo "$password"
