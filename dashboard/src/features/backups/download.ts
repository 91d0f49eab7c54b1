import { useSyncExternalStore } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { tell, tellError } from '../../components/feedback/toasts.tsx';
import { saveBlob } from '../../lib/save-file.ts';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';

interface Download {
  percent: number;
  stop(): void;
}

/** By backup. They go on while one looks at other pages. */
let downloads: Readonly<Record<string, Download>> = {};
const watchers = new Set<() => void>();

function become(next: typeof downloads): void {
  downloads = next;
  for (const watcher of watchers) watcher();
}

/** The downloads under way, by backup. */
export const useDownloads = (): typeof downloads =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => downloads,
  );

/** Downloads a backup's file, telling how far it is. The browser holds it, on disk where it is large, until it is whole. */
export async function download({ tenant_id, id: backup_id, size_bytes, backup_path }: Backup): Promise<void> {
  if (downloads[backup_id]) return;
  const aborter = new AbortController();
  const stop = (): void => aborter.abort();
  const tellPercent = (percent: number): void => {
    if (downloads[backup_id]?.percent !== percent) become({ ...downloads, [backup_id]: { percent, stop } });
  };
  tellPercent(0);
  try {
    const path = { id: tenant_id, backup_id };
    const stream = await dataOf(
      api.GET('/api/tenants/{id}/backups/{backup_id}/download', {
        params: { path },
        parseAs: 'stream',
        signal: aborter.signal,
      }),
    );
    let read = 0;
    const counted = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          read += chunk.byteLength;
          if (size_bytes) tellPercent(Math.floor((read / size_bytes) * 100));
          controller.enqueue(chunk);
        },
      }),
    );
    saveBlob(await new Response(counted).blob(), nameOf(backup_path ?? `${backup_id}.tar`));
    tell(backupsText.download.done);
  } catch (error) {
    if (!aborter.signal.aborted) tellError(error);
  } finally {
    const { [backup_id]: _ended, ...others } = downloads;
    become(others);
  }
}

/** `<slug>-<file>`, as the manager names it. */
const nameOf = (path: string): string => path.split('/').slice(-2).join('-');
