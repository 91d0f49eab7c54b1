import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { FromWorker } from './worker-task.ts';

/** So many messages may be on their way before `send` waits: enough to keep both threads busy. */
const window = 2;

/**
 * The other side of `runTask`: called once by the module that is the thread's entry. `send` hands a message to the
 * manager and waits while it has some not yet dealt with. An AppError goes over as it is; any other error ends the thread
 * and is thrown there by `runTask`.
 */
export function serveTask<Input, Message, Result>(
  task: (input: Input, send: (message: Message) => Promise<void>) => Promise<Result>,
): void {
  const port = parentPort;
  if (!port) throw new Error('serveTask runs in a worker thread alone');
  const post = (said: FromWorker<Message, Result>): void => port.postMessage(said);

  let onTheWay = 0;
  let taken = Promise.withResolvers<void>();
  port.on('message', () => {
    onTheWay -= 1;
    taken.resolve();
    taken = Promise.withResolvers<void>();
  });
  const send = async (message: Message): Promise<void> => {
    onTheWay += 1;
    post({ kind: 'message', message });
    while (onTheWay >= window) await taken.promise;
  };

  task(workerData as Input, send).then(
    (result) => post({ kind: 'result', result }),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      post({ kind: 'failed', code: error.code, message: error.message, issues: error.issues });
    },
  );
}
