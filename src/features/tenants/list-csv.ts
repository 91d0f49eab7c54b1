import { escapeFormula, spreadsheetCsv } from '../../lib/files/csv.ts';
import type { HandlerInput, RouteDefinition } from '../../lib/http/routing/route.ts';
import { selectTenants } from './select-tenants.ts';
import type { Tenants } from './service.ts';
import type { Tenant } from './tenant.ts';

/** A tenant as the list shows it, with the API's names. */
export type ListItem = { name: string; tags: readonly string[] } & Record<string, unknown>;

const csvColumns = [
  ...[
    'name',
    'slug',
    'domain',
    'api_domain',
    'tags',
    'status',
    'health_status',
    'health_since',
    'version',
    'update_available',
  ],
  ...['response_ms', 'last_backup_at', 'deployed_at', 'created_at', 'frontend_port', 'backend_port', 'id'],
];

/** The tenants of an export: those listed, in that order, without any that were deleted since; or those that match the filter. */
export async function exported(
  { tenant_ids: ids, filter = {} }: { tenant_ids?: string[] | undefined; filter?: object | undefined },
  tenants: Pick<Tenants, 'each' | 'find' | 'list'>,
): Promise<Tenant[]> {
  if (!ids) return selectTenants({ filter }, tenants);
  const wanted = new Set(ids);
  const found = new Map<string, Tenant>();
  for await (const tenant of tenants.each()) if (wanted.has(tenant.id)) found.set(tenant.id, tenant);
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Sends the list as CSV (RFC 4180). No cell is a formula to a spreadsheet. */
export async function sendCsv(
  response: HandlerInput<RouteDefinition>['response'],
  items: readonly ListItem[],
): Promise<void> {
  response.set({
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="tenants.csv"',
  });
  const { writeToString } = await import('fast-csv');
  const rows = items.map((item) => csvColumns.map((name) => escapeFormula(textOf(item[name]))));
  response.send(await writeToString([csvColumns, ...rows], { ...spreadsheetCsv, includeEndRowDelimiter: true }));
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : value === null || value === undefined ? '' : String(value);
