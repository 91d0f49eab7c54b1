import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header, pack } from 'tar-stream';

const kept = ['file', 'directory', 'symlink', 'link'];

/**
 * Renames entries and changes owners in a tar stream. Everything except files, directories and links is dropped.
 * @param change the entry's new header; undefined drops the entry
 */
export async function* changedTar(
  source: AsyncIterable<Uint8Array>,
  change: (header: Header) => Header | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const from = extract();
  const to = pack();
  const reading = pipeline(Readable.from(source), from, { signal });
  reading.catch((error) => to.destroy(error));
  const writing = (async () => {
    for await (const entry of from) {
      const header = kept.includes(entry.header.type ?? 'file') ? change(entry.header) : undefined;
      if (!header) {
        entry.resume();
        continue;
      }
      // Extended headers with the old names of long paths would remain next to the new one.
      const { pax: _pax, ...plain } = header;
      const done = Promise.withResolvers<void>();
      // If the writing fails first, this error is ignored.
      done.promise.catch(() => undefined);
      const sink = to.entry(plain, (error) => (error ? done.reject(error) : done.resolve()));
      if (plain.type === 'file') await pipeline(entry, sink);
      else entry.resume();
      await done.promise;
    }
    to.finalize();
  })();
  writing.catch((error) => to.destroy(error));
  try {
    yield* to as AsyncIterable<Uint8Array>;
    await Promise.all([reading, writing]);
  } finally {
    from.destroy();
    to.destroy();
  }
}
