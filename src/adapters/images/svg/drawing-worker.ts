import { serveTask } from '../../../lib/workers/serve.ts';
import { assertPlain, writeOutEntities } from './check-svg-text.ts';
import type { CleanedDrawing, DrawingTask } from './clean-svg.ts';

/** Entry of the thread in which drawings are cleaned. What is refused at the first look needs no document. */
serveTask<DrawingTask, never, CleanedDrawing>(async ({ text: given }) => {
  const text = writeOutEntities(given);
  assertPlain(text);
  return (await import('./clean-svg.ts')).cleanSvg(text);
});
