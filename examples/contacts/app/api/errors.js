import { HTTPException } from 'hono/http-exception';

/** An answer `{detail}` with this status. */
export const failure = (status, detail) => new HTTPException(status, { message: detail });

/**
 * Errors as `{detail}`. Of an unexpected one only code and location are logged: its message may contain personal data.
 * @param {import('hono').Hono} app
 * @param {import('../shared/database/database.js').Database} database
 */
export function answerErrors(app, database) {
  app.notFound((c) => c.json({ detail: 'There is nothing at this path' }, 404));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ detail: error.message }, error.status);
    if (database.isDuplicate(error)) return c.json({ detail: 'There is one of this name already' }, 409);
    const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
    console.error([`unexpected error: ${error.code ?? error.name}`, ...frames].join('\n'));
    return c.json({ detail: 'Internal error' }, 500);
  });
}
