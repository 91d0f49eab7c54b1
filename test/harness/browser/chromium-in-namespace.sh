#!/bin/sh
# Chromium in the network namespace of the process NETWORK_OF.
exec nsenter "--net=/proc/$NETWORK_OF/ns/net" -- "$CHROMIUM" "$@"
