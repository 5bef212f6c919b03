#!/bin/sh
# Fetches ArtPlayer and its danmu from npm's registry, as package-lock.json pins them,
# for static/artplayer.html. They are not committed. Needs npm.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund
mkdir -p ../static/artplayer
cp node_modules/artplayer/dist/artplayer.mjs node_modules/artplayer-plugin-danmuku/dist/artplayer-plugin-danmuku.mjs ../static/artplayer/
