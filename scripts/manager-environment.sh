# The manager's environment, for `.` in sh; what is set already stays.
# What a start compiles is kept for the next one, which then needs neither the compiler nor what removes types: half the time
# and 15 MB. Where the folder can't be written to, each start compiles.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE-node_modules/.cache/compiled}"
