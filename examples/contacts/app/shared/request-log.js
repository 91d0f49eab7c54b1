/**
 * One line per request, without the query (a search contains personal data) and without headers (they contain keys).
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
