import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../src/lib/errors.ts';
import { serveTask } from '../../../src/lib/workers/serve.ts';

/** Tasks for the tests of worker threads; a thread's entry, not a suite. */
serveTask(async (input: { what: string; count?: number }, send: (message: number) => Promise<void>) => {
  switch (input.what) {
    case 'count': {
      for (let number = 1; number <= (input.count ?? 0); number++) await send(number);
      return 'counted';
    }
    case 'refuse':
      throw new AppError('validation_error', 'sheet: none', { issues: [{ path: 'sheet', message: 'none' }] });
    case 'bug':
      throw new TypeError('a mistake in the task');
    case 'fill': {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 1_000 }, (_, at) => `${kept.length}.${at}`));
    }
    case 'spin':
      return spin();
    case 'wait':
      return setTimeout(input.count, 'waited');
    case 'leave':
      return process.exit(3);
    case 'environment':
      return { ...process.env };
    default:
      return undefined;
  }
});

function spin(): never {
  for (;;);
}
