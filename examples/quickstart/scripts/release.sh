#!/bin/sh
# NYL_INPUTS names a file with the unit's values as JSON, every reference replaced by what it stands for.
set -e
echo "releasing with $(cat "$NYL_INPUTS")"
