#!/bin/sh
# Runs its arguments with each variable NAME read from the file that NAME_FILE names, as container engines give secrets.
set -eu
[ "${1:-}" != --help ] || { echo 'Usage: sh with-secrets.sh COMMAND [ARGUMENT...]'; exit; }
for name in HALTLESS_API_KEY AGENT_MQTT_USERNAME AGENT_MQTT_PASSWORD; do
  eval "file=\${${name}_FILE:-}"
  [ -n "$file" ] || continue
  [ -s "$file" ] || { echo "$file, which ${name}_FILE names, is missing or empty." >&2; exit 1; }
  export "$name=$(cat -- "$file")"
done
exec "$@"
