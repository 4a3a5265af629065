#!/bin/sh
# 0: the rows are as they were written; 2: they are not.
set -eu
folder=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["stateDir"])' "$NYL_INPUTS")
cmp -s scripts/seed/rows.csv "$folder/rows.csv" || exit 2
