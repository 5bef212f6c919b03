#!/bin/sh
# Fetches axe-core from npm's registry, as package-lock.json pins it. It is not committed.
# Needs npm.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund
cp node_modules/axe-core/axe.min.js .
