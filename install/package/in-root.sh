#!/bin/sh
# Runs inside the booted Debian root, once for each boot, and writes what it found to /result. `package:test` reads it.
[ "${1:-}" != --help ] || { echo 'Usage: in-root.sh, which npm run package:test runs inside a booted Debian'; exit; }
exec >>/result 2>&1
set -u
boot=$(cat /boot-count 2>/dev/null || echo 1)
ok() { echo "ok   $1"; }
bad() { echo "BAD  $1"; }
expect() { what=$1; shift; if "$@"; then ok "$what"; else bad "$what"; fi; }
wait_for() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return 0; sleep 0.5; done; return 1; }
is_delivering() { haltless-agent status --json | grep -q '"state": "sending"'; }
is_active() { systemctl is-active --quiet haltless-agent; }
version() { /opt/haltless-agent/current/bin/haltless-agent --version; }

if [ "$boot" = 1 ]; then
  expect 'the package installs without network' dpkg -i /packages/old.deb
  expect 'the service is enabled' systemctl is-enabled --quiet haltless-agent
  expect 'it waits for settings' sh -c '! systemctl is-active --quiet haltless-agent'
  HALTLESS_ENROLMENT_KEY=$(cat /packages/key)
  export HALTLESS_ENROLMENT_KEY
  haltless-agent enroll --hub "$(cat /packages/hub)" --agent-id boxed
  expect 'it is enrolled' [ -f /var/lib/haltless-agent/credential.json ]
  expect 'enroll starts it' wait_for is_active
  expect 'a second enrolment stops' sh -c '! haltless-agent enroll --hub "$(cat /packages/hub)" 2>/dev/null'
  expect 'the key is in no file' sh -c '! grep -rqF "$HALTLESS_ENROLMENT_KEY" /etc /var /run/systemd /tmp'
  unset HALTLESS_ENROLMENT_KEY
  expect 'root owns the settings, and its group may read them' [ "$(stat -c '%U:%G %a' /etc/haltless-agent/agent.yaml)" = 'root:haltless-agent 640' ]
  expect 'the agent owns its credential, and no other user may read it' [ "$(stat -c '%U:%G %a' /var/lib/haltless-agent/credential.json)" = 'haltless-agent:haltless-agent 600' ]
  install -m 0640 -g haltless-agent /packages/collectors.yaml /etc/haltless-agent/collectors.yaml
  sed -i 's/^collectors: \[\]/collectors: [{ file: collectors.yaml }]/' /etc/haltless-agent/agent.yaml
  haltless-agent check
  expect 'check finds nothing wrong' haltless-agent check
  systemctl restart haltless-agent
  expect 'the agent delivers readings' wait_for is_delivering
  expect 'its data belongs to its user, and no other user may read it' [ "$(stat -c '%U %a' /var/lib/haltless-agent)" = 'haltless-agent 700' ]
  expect 'its code belongs to root' [ -z "$(find /opt/haltless-agent ! -user root)" ]
  systemd-analyze security --no-pager haltless-agent | tail -1
  echo 2 >/boot-count
  systemctl poweroff
  exit
fi

expect 'after a reboot the agent runs and delivers' wait_for is_delivering
before=$(stat -c %i /var/lib/haltless-agent/buffer.sqlite)
credential=$(cat /var/lib/haltless-agent/credential.json)
has_credential() { [ "$(cat /var/lib/haltless-agent/credential.json)" = "$credential" ]; }
# hands an update over as the agent does
hand_over() {
  runuser -u haltless-agent -- install -d -m 0700 /var/lib/haltless-agent/incoming
  runuser -u haltless-agent -- cp "/packages/$1/archive.tar.zst" /var/lib/haltless-agent/incoming/archive.tar.zst
  runuser -u haltless-agent -- cp "/packages/$1/request.json" /var/lib/haltless-agent/incoming/.request.new
  runuser -u haltless-agent -- mv /var/lib/haltless-agent/incoming/.request.new /var/lib/haltless-agent/incoming/request.json
}
ended_as() { grep -q "\"phase\": \"$1\"" /opt/haltless-agent/update/state.json; }
chmod -R a+rX /packages
expect 'a rollout of the hub updates it' /opt/haltless-agent/current/bin/node /packages/roll-out.mjs 4.0.0
expect 'that version runs' [ "$(version)" = 4.0.0 ]
expect 'it delivers' wait_for is_delivering
expect 'the agent takes its request back' wait_for [ ! -e /var/lib/haltless-agent/incoming/request.json ]
hand_over 5.0.0
is_version() { [ "$(version)" = "$1" ] && ended_as confirmed; }
expect 'an update is installed, tried and confirmed' wait_for is_version 5.0.0
expect 'the updated version runs' [ "$(version)" = 5.0.0 ]
expect 'it delivers' wait_for is_delivering
expect 'its code belongs to root' [ -z "$(find /opt/haltless-agent ! -user root)" ]
expect 'status shows the update' wait_for sh -c 'haltless-agent status | grep -q "version 5.0.0 was installed"'
expect 'the agent takes its request back' wait_for [ ! -e /var/lib/haltless-agent/incoming/request.json ]
hand_over 6.0.0
expect 'an update that ends at once is taken back' wait_for ended_as rolled_back
expect 'the version before runs' [ "$(version)" = 5.0.0 ]
expect 'it delivers' wait_for is_delivering
cat /opt/haltless-agent/update/state.json
journalctl --no-pager -o cat -u haltless-agent-update
expect 'a package that is older than the confirmed version' dpkg -i /packages/old.deb
expect 'leaves that' [ "$(version)" = 5.0.0 ]
expect 'and it delivers' wait_for is_delivering
systemd-analyze security --no-pager haltless-agent-update | tail -1
expect 'an upgrade is unpacked' dpkg --unpack /packages/new.deb
expect 'the version before runs until its configuration' [ "$(version)" = 5.0.0 ]
expect 'and its files are whole' [ -x /opt/haltless-agent/versions/5.0.0/bin/node ]
expect 'it is configured' dpkg --configure haltless-agent
expect 'the new version runs' [ "$(version)" = 9.9.9 ]
expect 'it delivers' wait_for is_delivering
expect 'the buffer is the same' [ "$(stat -c %i /var/lib/haltless-agent/buffer.sqlite)" = "$before" ]
expect 'the credential is the same' has_credential
systemctl disable --quiet --now haltless-agent
expect 'an upgrade of a disabled service' dpkg -i /packages/new.deb
expect 'leaves it disabled' sh -c '! systemctl is-enabled --quiet haltless-agent'
expect 'and stopped' sh -c '! systemctl is-active --quiet haltless-agent'
systemctl enable --quiet haltless-agent
systemctl disable --quiet --now haltless-agent-update.path
expect 'an upgrade of a stopped service, with updates disabled' dpkg -i /packages/new.deb
expect 'leaves it stopped' sh -c '! systemctl is-active --quiet haltless-agent'
expect 'leaves updates disabled' sh -c '! systemctl is-enabled --quiet haltless-agent-update.path'
expect 'and stopped' sh -c '! systemctl is-active --quiet haltless-agent-update.path'
systemctl enable --quiet --now haltless-agent-update.path
systemctl start haltless-agent
expect 'it delivers when it is enabled again' wait_for is_delivering
expect 'a removal' dpkg -r haltless-agent
expect 'stops the agent' sh -c '! systemctl is-active --quiet haltless-agent'
expect 'keeps the buffer' [ "$(stat -c %i /var/lib/haltless-agent/buffer.sqlite)" = "$before" ]
expect 'keeps the credential' has_credential
expect 'keeps the settings' [ -f /etc/haltless-agent/agent.yaml ]
expect 'leaves no program' [ ! -e /opt/haltless-agent/current ]
expect 'installed again' dpkg -i /packages/new.deb
expect 'it delivers at once' wait_for is_delivering
expect 'a purge without a terminal' dpkg -P haltless-agent
expect 'keeps the buffer too' [ "$(stat -c %i /var/lib/haltless-agent/buffer.sqlite)" = "$before" ]
expect 'leaves no link in systemd' [ ! -L /etc/systemd/system/multi-user.target.wants/haltless-agent.service ]
expect 'deletes the settings' [ ! -e /etc/haltless-agent ]
expect 'deletes the credential' [ ! -e /var/lib/haltless-agent/credential.json ]
echo done
systemctl poweroff
