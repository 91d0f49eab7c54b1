import { serveTask } from '../../../lib/workers/serve.ts';
import { assertPlain } from './assert-plain.ts';
import type { CleanedDrawing, DrawingTask } from './drawing-task.ts';
import { writeOutEntities } from './plain-entities.ts';

/** Entry of the thread in which drawings are cleaned. What is refused at the first look needs no document. */
serveTask<DrawingTask, never, CleanedDrawing>(async ({ text: given }) => {
  const text = writeOutEntities(given);
  assertPlain(text);
  return (await import('./clean-svg.ts')).cleanSvg(text);
});
