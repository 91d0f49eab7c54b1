import { serveTask } from '../../../lib/workers/serve.ts';
import { type AroundTask, around, type SearchResult, type SearchTask, search } from './scan.ts';
import type { NamedLine } from './sources.ts';

serveTask<SearchTask | AroundTask, never, SearchResult | NamedLine[] | undefined>((task) =>
  task.task === 'search' ? search(task) : around(task),
);
