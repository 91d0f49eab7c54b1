import type { ImportMessage } from './tasks.ts';

const everyMs = 250;

/** Reports how many rows were read, at most four times a second. */
export function progressReporter(
  send: (message: ImportMessage) => Promise<void>,
): (rows: number) => Promise<void> | undefined {
  let next = performance.now() + everyMs;
  return (rows) => {
    if (performance.now() < next) return undefined;
    next = performance.now() + everyMs;
    return send({ kind: 'progress', rows });
  };
}
