import { serveTask } from '../../../kernel/worker-serve.ts';
import type { Website } from '../../../platform/website/website.ts';
import { brandColours, type PageColours } from './brand-colours.ts';

/** Entry of the thread in which a stranger's style sheets are read. */
serveTask<Website, never, PageColours>(async (website) => brandColours(website));
