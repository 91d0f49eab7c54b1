#!/bin/sh
# A package installed in an image starts no service.
exit 101
