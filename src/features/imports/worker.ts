import { AppError } from '../../kernel/errors.ts';
import { serveTask } from '../../kernel/worker-serve.ts';
import { examineTable } from '../../platform/tabular/tabular.ts';
import type { ImportMessage, ImportTask } from './rows/tasks.ts';

/** Entry of the thread in which lists are read, checked and converted. */
serveTask<ImportTask, ImportMessage, unknown>(async (task, _send) => {
  switch (task.task) {
    case 'examine':
      return examineTable(task.path, { sheet: task.sheet, sampleRows: task.sampleRows });
    case 'validate':
    case 'convert':
    case 'failures':
      throw new AppError('job_not_ready', 'Not served yet');
    default:
      return task satisfies never;
  }
});
