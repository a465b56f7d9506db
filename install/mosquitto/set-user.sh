#!/bin/sh
# Adds a user to the password file, or replaces the password of one.
#   set-user.sh USER <PASSWORD_FILE      the password is read from standard input, so that no list of processes shows it
set -eu
[ "${1:-}" != --help ] || { echo 'Usage: set-user.sh USER <PASSWORD_FILE'; exit; }
umask 077
passwords=${MOSQUITTO_PASSWORDS:-/mosquitto/data/passwords}
user=$1
password=$(cat)
[ -n "$password" ] || { echo "The password of $user is empty." >&2; exit 1; }
# two commands at once would each write the file without the other's user
exec 9>"$passwords.lock"
flock 9
draft=$passwords.$$
trap 'rm -f -- "$draft" "$draft.one"' EXIT
printf '%s:%s\n' "$user" "$password" >"$draft.one"
# hashes the passwords of a file in place
mosquitto_passwd -U "$draft.one"
touch -- "$passwords"
{ awk -F: -v user="$user" '$1 != user' "$passwords"; cat -- "$draft.one"; } >"$draft"
mv -- "$draft" "$passwords"
