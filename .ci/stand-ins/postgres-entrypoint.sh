#!/bin/bash
# What docker-compose.yml uses of the entry point of the official image: a cluster on the first start, and a server as the user postgres.
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chmod 0700 "$PGDATA"
  mkdir -p /var/run/postgresql
  chmod 3775 /var/run/postgresql
  find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres '{}' +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres} database=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}
  password=${POSTGRES_PASSWORD:-$(cat -- "${POSTGRES_PASSWORD_FILE:?no password}")}
  initdb --username="$user" --pwfile=<(printf '%s\n' "$password") --auth-host=scram-sha-256 --auth-local=trust
  if [ "$database" != postgres ]; then echo "create database \"$database\"" | postgres --single -j postgres; fi
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
fi
exec "$@"
