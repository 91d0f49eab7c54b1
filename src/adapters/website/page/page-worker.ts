import { serveTask } from '../../../lib/workers/serve.ts';
import { type Page, readPage } from './page.ts';
import { textOf } from './text-of.ts';

export interface PageTask {
  /** As it was sent, unpacked. */
  body: Uint8Array;
  contentType: string;
  address: string;
}

export type DecodedPage = Page & { encoding: string };

/** Entry of the thread that parses untrusted HTML. */
serveTask<PageTask, never, DecodedPage>(async ({ body, contentType, address }) => {
  const { text, encoding } = textOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType);
  return { ...readPage(text, new URL(address)), encoding };
});
