import { serveTask } from '../../kernel/worker-serve.ts';
import { examineTable } from '../../platform/tabular/tabular.ts';
import { convert } from './rows/convert.ts';
import { writeFailedRows } from './rows/failures.ts';
import type { ImportMessage, ImportTask } from './rows/tasks.ts';
import { validate } from './rows/validate.ts';

/** Entry of the thread in which lists are read, checked and converted. */
serveTask<ImportTask, ImportMessage, unknown>((task, send) => {
  switch (task.task) {
    case 'examine':
      return examineTable(task.path, { sheet: task.sheet, sampleRows: task.sampleRows });
    case 'validate':
      return validate(task, send);
    case 'convert':
      return convert(task, send);
    case 'failures':
      return writeFailedRows(task, send);
    default:
      return task satisfies never;
  }
});
