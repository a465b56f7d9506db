#!/bin/sh
# Lets the hubs in, then becomes the broker. Users that add-agent.sh made stay.
#   HUB_PASSWORD_FILE   holds the password of the user "hub"
#   TLS_CERT, TLS_KEY   name PEM files; with both, port 8883 is MQTTS
set -eu
[ "${1:-}" != --help ] || { echo 'Usage: start.sh, with the settings HUB_PASSWORD_FILE, TLS_CERT and TLS_KEY'; exit; }
sh "$(dirname -- "$0")/set-user.sh" hub <"$HUB_PASSWORD_FILE"
config=/mosquitto/config/mosquitto.conf
if [ -n "${TLS_CERT:-}" ] && [ -n "${TLS_KEY:-}" ]; then
  { cat "$config"; printf '\nlistener 8883\ncertfile %s\nkeyfile %s\n' "$TLS_CERT" "$TLS_KEY"; } >/tmp/mosquitto.conf
  config=/tmp/mosquitto.conf
fi
exec mosquitto -c "$config"
