/** How many times slower this machine is than a quiet one with two processors; `npm test` measures it. */
export const slowness = Number(process.env.TEST_PATIENCE ?? 1);

/** The longest that a test waits for anything, in ms: it ends waits for what never happens, and asserts nothing. */
export const patienceMs = 5 * 60_000 * slowness;
