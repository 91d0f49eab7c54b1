import type { Website } from '../../../../adapters/website/website.ts';
import { serveTask } from '../../../../lib/workers/serve.ts';
import type { PageColours } from '../analysis.ts';
import { brandColours } from './brand-colours.ts';

/** Entry of the thread in which a stranger's style sheets are read. */
serveTask<Website, never, PageColours>(async (website) => brandColours(website));
