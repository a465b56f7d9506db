#!/bin/sh
# Writes the password file from the environment, then becomes the broker.
#   HUB_PASSWORD                    of the user "hub"
#   AGENT_USERNAME AGENT_PASSWORD   of one agent: {tenant_id}/{agent_id}; without a tenant no agent is let in
set -eu
umask 077
: >/tmp/passwords
mosquitto_passwd -b /tmp/passwords hub "$HUB_PASSWORD"
case "${AGENT_USERNAME:-}" in
  ?*/?*) mosquitto_passwd -b /tmp/passwords "$AGENT_USERNAME" "$AGENT_PASSWORD" ;;
esac
exec mosquitto -c /mosquitto/config/mosquitto.conf
