import { serveTask } from '../../../lib/workers/serve.ts';
import { type Page, readPage } from './page.ts';
import { decode, encodingOf } from './text-of.ts';

export interface PageTask {
  /** As it was sent, unpacked. */
  body: Uint8Array;
  contentType: string;
  address: string;
}

export interface DecodedPage extends Page {
  encoding: string;
}

/** Entry of the thread that parses untrusted HTML. */
serveTask<PageTask, never, DecodedPage>(async ({ body, contentType, address }) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const encoding = encodingOf(bytes, contentType);
  return { ...readPage(decode(bytes, encoding), new URL(address)), encoding };
});
