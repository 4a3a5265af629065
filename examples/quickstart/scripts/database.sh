#!/bin/sh
# Stands for whatever makes a database. The outputs go to the file that NYL_OUTPUTS names.
set -e
echo "a $1 database for $NYL_ENVIRONMENT"
printf '{"host": "%s-%s.db.example", "port": 5432}\n' "$NYL_ENVIRONMENT" "$1" > "$NYL_OUTPUTS"
