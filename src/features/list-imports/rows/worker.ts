import { serveTask } from '../../../lib/workers/serve.ts';
import type { ImportMessage, ImportTask } from './tasks.ts';

/** Entry of the thread in which lists are read, checked and converted. Each task loads what it needs: a thread's code is memory. */
serveTask<ImportTask, ImportMessage, unknown>(async (task, send) => {
  switch (task.task) {
    case 'examine': {
      const { examineTable } = await import('../../../adapters/tabular/tabular.ts');
      const { sheet, headerRow, sampleRows } = task;
      return examineTable(task.path, { sheet, headerRow, sampleRows });
    }
    case 'validate':
      return (await import('./validate.ts')).validate(task, send);
    case 'convert':
      return (await import('./convert.ts')).convert(task, send);
    case 'failures':
      return (await import('./failures.ts')).writeFailedRows(task, send);
    default:
      return task satisfies never;
  }
});
