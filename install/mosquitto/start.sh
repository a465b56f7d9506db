#!/bin/sh
# Lets the hubs in, then becomes the broker. Users that add-agent.sh made stay.
#   HUB_PASSWORD_FILE   holds the password of the user "hub"
set -eu
sh "$(dirname -- "$0")/set-user.sh" hub <"$HUB_PASSWORD_FILE"
exec mosquitto -c /mosquitto/config/mosquitto.conf
