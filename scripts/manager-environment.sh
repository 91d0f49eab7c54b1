# The manager's environment, for `.` in sh; what is set already stays.
# What it asks for and gives back. glibc keeps a pool for each thread, long after the threads that read lists have ended, and
# what was freed in a pool: chunks of streams (64 KiB) are taken from the system instead and go back at once.
# V8 keeps twice the space that short-lived objects once took: a long import brought it to 67 MB.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_-65536}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_-131072}"
export NODE_OPTIONS="${NODE_OPTIONS---max-semi-space-size=8}"
# What a start compiles is kept for the next one, which then needs neither the compiler nor what removes types: half the time
# and 15 MB. Where the folder can't be written to, each start compiles.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE-node_modules/.cache/compiled}"
