#!/bin/bash
# Stands in for pg_isready: sends the start of a session over TCP, and succeeds when the server asks for a password (R).
set -eu
while getopts U:d:h: option; do
  case $option in U) user=$OPTARG ;; d) database=$OPTARG ;; h) host=$OPTARG ;; *) exit 3 ;; esac
done
exec 3<>"/dev/tcp/$host/5432"
# the length in four bytes, protocol 3.0, and pairs of names and values that end with a zero byte
length=$((4 + 4 + 5 + ${#user} + 1 + 9 + ${#database} + 1 + 1))
printf "$(printf '\\x00\\x00\\x00\\x%02x\\x00\\x03\\x00\\x00' "$length")user\0%s\0database\0%s\0\0" "$user" "$database" >&3
IFS= read -r -N 1 -t 3 answer <&3
[ "$answer" = R ]
