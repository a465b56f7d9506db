#!/bin/sh
# The agent as a command. Root acts as the agent's user, so that no file in its data folder belongs to root.
d=$(dirname -- "$(readlink -f -- "$0")")
# What hints name as the command. Root who came without sudo may not have it.
HALTLESS_AGENT_COMMAND=$0
if [ "$0" = /usr/bin/haltless-agent ]; then
  HALTLESS_AGENT_COMMAND='sudo haltless-agent'
  if [ "$(id -u)" = 0 ] && [ -z "${SUDO_USER-}" ]; then HALTLESS_AGENT_COMMAND=haltless-agent; fi
fi
: "${HALTLESS_AGENT_CONFIG:=/etc/haltless-agent/agent.yaml}"
export HALTLESS_AGENT_COMMAND HALTLESS_AGENT_CONFIG
# The options of Node are those of the unit.
# `enroll` writes the settings, which belong to root, and restarts the unit. The credential goes to the agent's user.
if [ "${1-}" = enroll ] && id haltless-agent >/dev/null 2>&1; then
  shift
  HALTLESS_AGENT_UNIT=haltless-agent
  export HALTLESS_AGENT_UNIT
  exec "$d/node" --no-deprecation --max-semi-space-size=2 "$d/../app/lib/agent.mjs" enroll --data-dir /var/lib/haltless-agent "$@"
fi
if [ "$(id -u)" = 0 ] && id haltless-agent >/dev/null 2>&1 && command -v runuser >/dev/null; then
  # With a terminal of its own the agent's user cannot type into that of root. Where a stream is no terminal, runuser would echo passwords.
  pty=""
  # That of RHEL 8 cannot do it.
  if [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && runuser --help 2>/dev/null | grep -q -e --pty; then pty=--pty; fi
  exec runuser $pty -u haltless-agent -- "$d/node" --no-deprecation --max-semi-space-size=2 "$d/../app/lib/agent.mjs" "$@"
fi
exec "$d/node" --no-deprecation --max-semi-space-size=2 "$d/../app/lib/agent.mjs" "$@"
