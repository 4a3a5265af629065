#!/bin/sh
set -e
echo "a bucket for $NYL_ENVIRONMENT"
printf '{"name": "shop-%s"}\n' "$NYL_ENVIRONMENT" > "$NYL_OUTPUTS"
