import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The child's next message. @throws if the child exits */
export async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A process of the benchmark exited with code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit]);
    return message as T;
  } finally {
    ended.abort();
    exit.catch(() => undefined);
  }
}
