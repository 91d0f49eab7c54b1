import { serveTask } from '../../../lib/workers/serve.ts';
import { assertPlain, writeOutEntities } from './check-svg-text.ts';
import type { CleanedDrawing, DrawingTask } from './clean-svg.ts';

/** Entry of the thread that cleans drawings. The text is checked before jsdom is loaded. */
serveTask<DrawingTask, never, CleanedDrawing>(async ({ text: given }) => {
  const text = writeOutEntities(given);
  assertPlain(text);
  return (await import('./clean-svg.ts')).cleanSvg(text);
});
