import { serveTask } from '../../../lib/workers/serve.ts';
import { type Page, readPage } from './page.ts';
import { decode, encodingOf } from './text-of.ts';

export interface PageTask {
  /** As it was sent, unpacked. */
  body: Uint8Array;
  contentType: string;
  address: string;
}

/** A page whose addresses are text: `URL`s can't be posted by a thread. */
export interface PlainPage extends Omit<Page, 'sheets' | 'manifest' | 'refresh'> {
  sheets: ({ media: string | null } & ({ text: string } | { href: string }))[];
  manifest: string | null;
  refresh: string | null;
  encoding: string;
}

/** Entry of the thread that parses untrusted HTML. */
serveTask<PageTask, never, PlainPage>(async ({ body, contentType, address }) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const encoding = encodingOf(bytes, contentType);
  const page = readPage(decode(bytes, encoding), new URL(address));
  return {
    ...page,
    sheets: page.sheets.map(({ media, ...sheet }) =>
      'url' in sheet ? { media, href: sheet.url.href } : { media, ...sheet },
    ),
    manifest: page.manifest?.href ?? null,
    refresh: page.refresh?.href ?? null,
    encoding,
  };
});
