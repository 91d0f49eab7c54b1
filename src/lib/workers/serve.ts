import { parentPort, workerData } from 'node:worker_threads';
import { actingDeadline } from '../concurrency/acting-deadline.ts';
import { AppError } from '../errors.ts';
import type { FromWorker, TaskData } from './worker-task.ts';

/** Maximum messages in transit before `send` waits: enough to keep both threads busy. */
const window = 2;

/**
 * The worker's side of `runTask`: its entry module calls this once. `send` passes a message to the manager and waits when too
 * many are in transit. An AppError is passed on; any other error ends the thread and is thrown by `runTask`.
 */
export function serveTask<Input, Message, Result>(
  task: (input: Input, send: (message: Message) => Promise<void>) => Promise<Result>,
): void {
  const port = parentPort;
  if (!port) throw new Error('serveTask must run in a worker thread');
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

  const { input, deadline } = workerData as TaskData<Input>;
  actingDeadline.follow(deadline, () => process.exit(1));
  task(input, send).then(
    (result) => post({ kind: 'result', result }),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      post({ kind: 'failed', code: error.code, message: error.message, issues: error.issues });
    },
  );
}
