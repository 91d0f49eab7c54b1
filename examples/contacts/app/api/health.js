/** The health check answers within this time, even if the database hangs. */
const TIMEOUT_MS = 2000;

/**
 * Healthy means that people can be read. The answer also has the live version and commit.
 * @param {import('../shared/database/database.js').Database} database
 * @param {import('../shared/environment.js').Environment} environment
 * @returns {import('hono').Handler}
 */
export function healthCheck(database, environment) {
  const build = { version: environment.APP_VERSION, commit: environment.APP_COMMIT };
  return async (c) => {
    const reading = database.query('SELECT id FROM persons LIMIT 1').then(
      () => true,
      () => false,
    );
    const up = await Promise.race([reading, after(TIMEOUT_MS, false)]);
    return up
      ? c.json({ status: 'healthy', database: 'up', ...build })
      : c.json({ status: 'unhealthy', database: 'down', ...build }, 503);
  };
}

const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value).unref());
