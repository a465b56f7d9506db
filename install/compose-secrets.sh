#!/bin/sh
# Makes the secrets of docker-compose.yml, one per file. Files that are there stay as they are.
#   sh install/compose-secrets.sh [FOLDER]      default: secrets, beside docker-compose.yml
set -eu
[ "${1:-}" != --help ] || { echo 'Usage: sh install/compose-secrets.sh [FOLDER]'; exit; }
folder=${1:-$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)/secrets}
umask 077
mkdir -p -- "$folder"
# The folder keeps other users of this machine out; containers see single files, as users of their own
chmod 700 -- "$folder"
make() {
  [ -s "$folder/$1" ] && return
  printf '%s' "$2" >"$folder/$1.part"
  chmod 444 -- "$folder/$1.part"
  mv -- "$folder/$1.part" "$folder/$1"
  echo "made $folder/$1"
}
random() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
make postgres_password "$(random)"
make database_url "postgres://haltless:$(cat -- "$folder/postgres_password")@postgres:5432/haltless"
make secret_key "$(random)"
make hub_mqtt_password "$(random)"
# compose-plant.sh writes these; the container reads them as a user of its own
for name in agent_api_key agent_mqtt_username agent_mqtt_password; do
  [ -e "$folder/$name" ] && continue
  : >"$folder/$name"
  chmod 644 -- "$folder/$name"
done
