#!/bin/sh
# Adds the simulated plant of docker-compose.yml to a tenant: machines with rules, and a channel that mails its alerts.
# Then it writes into `secrets/` what the agent logs in with. Run again, it replaces the agent's key and
# password, and restarts the agent.
#   sh install/compose-plant.sh EMAIL      asks for the password of EMAIL, an admin of the tenant
set -eu
cd -- "$(dirname -- "$0")/.."
usage='usage: sh install/compose-plant.sh EMAIL'
[ "${1:-}" != --help ] || { echo "$usage"; exit; }
[ $# = 1 ] || { echo "$usage" >&2; exit 1; }
if [ -t 0 ]; then
  printf 'Password of %s: ' "$1" >&2
  trap 'stty echo; echo >&2' EXIT
  trap 'exit 1' INT TERM
  stty -echo
fi
IFS= read -r password || [ -n "$password" ] || { echo "No password of $1 was entered." >&2; exit 1; }
made=$(printf '%s\n' "$password" | docker compose exec -T hub-1 node cloud-hub/src/demo/add-plant.ts "$1")
agent=${made%% *}/plant
broker_password=$(docker compose exec -T mosquitto sh /mosquitto/config/add-agent.sh "$agent" </dev/null)
printf '%s' "${made#* }" >secrets/agent_api_key
printf '%s' "$agent" >secrets/agent_mqtt_username
printf '%s' "$broker_password" >secrets/agent_mqtt_password
# the agent reads its secrets when it starts
if [ -n "$(docker compose --profile plant ps --quiet agent </dev/null)" ]; then
  docker compose --profile plant restart agent </dev/null
fi
echo "The plant belongs to tenant ${made%% *}, and its agent may log in."
