/**
 * One line a request. The query is left out, for a search holds personal data; so are headers, for they hold keys.
 * @param {(line: string) => void} write
 * @returns {import('hono').MiddlewareHandler}
 */
export function requestLog(write) {
  return async (c, next) => {
    const started = performance.now();
    await next();
    write(`${c.req.method} ${c.req.path.slice(0, 200)} ${c.res.status} ${Math.round(performance.now() - started)}ms`);
  };
}
