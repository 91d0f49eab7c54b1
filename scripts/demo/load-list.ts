import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ManagerClient } from './client.ts';

interface Uploaded {
  job_id: string;
  row_count: number;
}

interface Mappings {
  status: string;
  mappings: { source: string; target: string; confidence: number }[];
}

interface Validation {
  valid_count: number;
  error_count: number;
  warning_count: number;
}

/** Loads a contact list through the list loader: upload, mapping, validation, import; prints the result of each step. */
export async function loadList(
  client: ManagerClient,
  tenantId: string,
  path: string,
  say: (text: string) => void,
): Promise<void> {
  const loader = `/api/tenants/${tenantId}/list-loader`;
  const name = basename(path);
  const { job_id, row_count } = await client.sendFile<Uploaded>(`${loader}/upload`, await readFile(path), name);
  say(`Uploaded ${name}: ${row_count} rows (${job_id})`);

  await client.call('POST', `${loader}/${job_id}/analyze`);
  const { mappings } = await client.until(
    () => client.call<Mappings>('GET', `${loader}/${job_id}/mappings`),
    ({ status }) => status !== 'analyzing',
    'The mapping of the columns',
  );
  for (const { source, target, confidence } of mappings)
    say(`   ${source.padEnd(24)} → ${target.padEnd(24)} ${Math.round(confidence * 100)} %`);

  const found = await client.call<Validation>('POST', `${loader}/${job_id}/validate`);
  say(`Checked: ${found.valid_count} rows fit, ${found.error_count} do not, ${found.warning_count} have warnings`);

  await client.call('POST', `${loader}/${job_id}/execute`, { tags: ['demo'], list_name: 'Supporters' });
  for await (const message of client.watch(`/ws/imports/${job_id}`)) {
    const { processed, total } = message.progress as { processed: number; total: number };
    if (message.type === 'progress' && message.status === 'importing')
      say(`${percent(processed, total)} %  ${processed} of ${total} rows`);
    if (message.type !== 'complete') continue;
    const { imported, duplicates, failed } = message.import_result as Record<string, number>;
    say(`  →    ${message.status}: ${imported} imported, ${duplicates} duplicates, ${failed} failed`);
    if (message.status !== 'completed') throw new Error(`The import ended as ${message.status}`);
  }
  const { total } = await client.call<{ total: number }>('GET', `/api/tenants/${tenantId}/remote/persons/count`);
  say(`The tenant holds ${total} people now`);
}

const percent = (part: number, whole: number): string =>
  String(whole === 0 ? 100 : Math.floor((part / whole) * 100)).padStart(4);
