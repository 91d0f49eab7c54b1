import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from '@jest/globals';
import { personFields } from '../../../src/features/list-imports/mapping/person-fields.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import type { App } from '../../harness/app/app.ts';
import { execute, listPath, upload } from '../../harness/data/lists.ts';
import type { ExpectedPerson, RoundTrip } from './import-round-trip-lists.ts';

/** The people of a tag, as the tenant's own API returns them. */
async function peopleOf(app: App, tenantId: string, tag: string): Promise<Record<string, unknown>[]> {
  const tenant = await app.manager.app.tenants.get(tenantId);
  const { host, port } = await app.manager.app.runtime.address(
    { tenant: spaceOf(tenant), role: 'api' },
    tenant.backendPort,
  );
  const { API_KEYS = '' } = parseEnv(await readFile(join(tenant.directory, '.env'), 'utf8'));
  const response = await fetch(`http://${host}:${port}/api/persons?limit=500&tag=${encodeURIComponent(tag)}`, {
    headers: { 'x-api-key': API_KEYS.split(',')[0] ?? '' },
  });
  if (!response.ok) throw new Error(`The people could not be read: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { persons: Record<string, unknown>[] }).persons;
}

/** A person as the tenant returns it, without fields that it adds itself. */
function comparable(person: Record<string, unknown>, tag: string): unknown {
  const fields = personFields.map((field) => [field, person[field]] as const);
  const tags = (person.tags as string[]).filter((name) => name !== tag);
  return { ...Object.fromEntries(fields), tags: tags.sort(), custom_fields: person.custom_fields };
}

function whole(person: ExpectedPerson): unknown {
  const fields = personFields.map((field) => [field, person[field] ?? null] as const);
  return {
    ...Object.fromEntries(fields),
    tags: person.tags?.toSorted() ?? [],
    custom_fields: person.custom_fields ?? {},
  };
}

const byName = (one: { first_name?: unknown }, other: { first_name?: unknown }): number =>
  String(one.first_name) < String(other.first_name) ? -1 : 1;

/** Imports a list into the tenant, and compares the people with the expected ones, field by field. */
export async function expectRoundTrip(app: App, tenantId: string, trip: RoundTrip): Promise<void> {
  const { job_id: id } = await upload(app, tenantId, trip.content, trip.file);
  const mappings = Object.entries(trip.mappings).map(([source, to]) =>
    typeof to === 'string' ? { source, target: to } : { source, target: to[0], transform: to[1] },
  );
  const put = await app.call('PUT', listPath(tenantId, `${id}/mappings`), { body: { mappings } });
  expect([put.status, put.body]).toEqual([200, expect.anything()]);

  const rejected = trip.rejected ?? [];
  const total = trip.persons.length + rejected.length;
  const validated = await app.call<{ errors: { row: number }[] }>('POST', listPath(tenantId, `${id}/validate`));
  expect(validated.body).toMatchObject({ total, valid_count: trip.persons.length, error_count: rejected.length });
  expect([...new Set(validated.body.errors.map(({ row }) => row))]).toEqual(rejected);

  const tag = `round trip ${trip.file}`;
  const ended = await execute(app, tenantId, id, { skip_duplicates: false, tags: [tag] });
  expect(ended).toMatchObject({
    status: 'completed',
    progress: { total, processed: total, success: trip.persons.length, failed: rejected.length, duplicates: 0 },
  });
  const people = await peopleOf(app, tenantId, tag);
  expect(people.map((person) => comparable(person, tag) as object).sort(byName)).toEqual(
    trip.persons.map((person) => whole(person) as object).sort(byName),
  );
}
