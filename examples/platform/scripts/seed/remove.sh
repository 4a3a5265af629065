#!/bin/sh
set -eu
folder=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["stateDir"])' "$NYL_INPUTS")
rm -f "$folder/rows.csv"
