/**
 * The longest that a test waits for anything, in ms: it ends waits for what never happens and asserts nothing. TEST_PATIENCE says how
 * many times slower this machine is than a quiet one with two processors; `npm test` measures it.
 */
export const patienceMs = 5 * 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
