import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeToString } from 'fast-csv';
import { type Layout, layoutsOf } from '../../fixtures/list-layouts/layouts.ts';
import { judgeMappings } from '../../harness/accuracy/mapping-accuracy.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { analyze, listPath, type MappingAnswer, upload } from '../../harness/data/lists.ts';
import { makeTenant } from '../../harness/data/tenants.ts';
import { type AssistantServer, startAssistantServer } from '../../harness/servers/assistant-server.ts';

let app: App;
let tenantId: string;
let server: AssistantServer;
beforeAll(async () => {
  app = await startApp();
  ({ id: tenantId } = await makeTenant(app, undefined));
  server = await startAssistantServer();
});
afterAll(async () => {
  await server.close();
  await app.stop();
});

const csvOf = ({ headers, sample_rows }: Layout): Promise<string> => writeToString([headers, ...sample_rows]);

async function suggested(content: string) {
  const { job_id } = await upload(app, tenantId, content);
  const mappings = await analyze(app, tenantId, job_id);
  const { body } = await app.call<{ status: string; warnings: string[] }>(
    'GET',
    listPath(tenantId, `${job_id}/mappings`),
  );
  return { mappings, ...body };
}

describe('mappings that a user changed', () => {
  const header = 'First Name,Last Name,Blorp,Reach me\n';
  const list = (...values: string[]) => `${header}${values.map((value) => `Ann,Lee,Quarry,${value}`).join('\n')}\n`;
  const phones = list('312-555-0170', '312-555-0171', '(312) 555-0172');
  const ofColumn = (mappings: MappingAnswer[], source: string) => mappings.find((one) => one.source === source);
  const learnedMappings = async () =>
    (await app.call<{ mappings: { id: string; source: string; target: string }[] }>('GET', '/api/learned-mappings'))
      .body.mappings;

  test('are suggested for the next list with such columns, with the reason, until they are forgotten', async () => {
    const { job_id } = await upload(app, tenantId, phones);
    const before = await analyze(app, tenantId, job_id);
    expect(ofColumn(before, 'Blorp')?.target).toBe('custom_fields.blorp');
    const change = (targets: Record<string, string>) =>
      app.call('PUT', listPath(tenantId, `${job_id}/mappings`), {
        body: {
          mappings: before.map(({ source, target }) => ({ source, target: targets[source] ?? target })),
        },
      });
    expect((await change({ Blorp: 'precinct', 'Reach me': 'custom_fields.reach' })).status).toBe(200);
    // The last choice counts.
    expect((await change({ Blorp: 'county', 'Reach me': 'custom_fields.reach' })).status).toBe(200);

    const again = (await suggested(phones)).mappings;
    expect(ofColumn(again, 'Blorp')).toMatchObject({
      target: 'county',
      reason: expect.stringMatching(/^Chosen by admin for this column on \d{4}-\d\d-\d\dT[\d:.]+Z$/),
      alternatives: [{ target: 'custom_fields.blorp' }],
    });
    expect(ofColumn(again, 'Reach me')?.target).toBe('custom_fields.reach');
    expect(ofColumn(again, 'First Name')?.target).toBe('first_name');
    // Other spellings of the header, the same values.
    const spelled = (await suggested(phones.replace('Blorp', 'BLORP:'))).mappings;
    expect(ofColumn(spelled, 'BLORP:')?.target).toBe('county');
    // The same header with other values.
    const addresses = (await suggested(list('ann@example.org', 'lee@example.org', 'bo@example.org'))).mappings;
    expect(ofColumn(addresses, 'Reach me')?.target).toBe('email');

    const entries = await learnedMappings();
    expect(entries.map(({ source, target }) => [source, target]).sort()).toEqual([
      ['Blorp', 'county'],
      ['Reach me', 'custom_fields.reach'],
    ]);
    for (const { id } of entries) {
      expect((await app.call('DELETE', `/api/learned-mappings/${id}`)).status).toBe(200);
      expect((await app.call('DELETE', `/api/learned-mappings/${id}`)).status).toBe(404);
    }
    expect(ofColumn((await suggested(phones)).mappings, 'Blorp')?.target).toBe('custom_fields.blorp');
  });

  test('do not import a sensitive column of other lists', async () => {
    const content = 'First Name,Last Name,SSN\nAnn,Lee,078-05-1120\nBo,Lee,219-09-9999\nCy,Lee,457-55-5462\n';
    const { job_id } = await upload(app, tenantId, content);
    const before = await analyze(app, tenantId, job_id);
    const mappings = before.map(({ source, target }) => ({
      source,
      target: source === 'SSN' ? 'custom_fields.ssn' : target,
    }));
    expect((await app.call('PUT', listPath(tenantId, `${job_id}/mappings`), { body: { mappings } })).status).toBe(200);
    const again = await suggested(content);
    expect(ofColumn(again.mappings, 'SSN')).toMatchObject({
      target: 'skip',
      reason: expect.stringContaining('social security number'),
      alternatives: expect.arrayContaining([expect.objectContaining({ target: 'custom_fields.ssn' })]),
    });
    expect(again.warnings).toEqual([expect.stringContaining('"SSN"')]);
    for (const { id } of await learnedMappings()) await app.call('DELETE', `/api/learned-mappings/${id}`);
  });

  test('take a field from the column that would have it otherwise', async () => {
    const content = 'First Name,Last Name,City,Where\nAnn,Lee,Alton,Cairo\nBo,Lee,Alton,Cairo\nCy,Lee,Alton,Cairo\n';
    const { job_id } = await upload(app, tenantId, content);
    const before = await analyze(app, tenantId, job_id);
    const targets: Record<string, string> = { City: 'custom_fields.old_city', Where: 'city' };
    const mappings = before.map(({ source, target }) => ({ source, target: targets[source] ?? target }));
    expect((await app.call('PUT', listPath(tenantId, `${job_id}/mappings`), { body: { mappings } })).status).toBe(200);
    const [city] = (await learnedMappings()).filter(({ source }) => source === 'City');
    await app.call('DELETE', `/api/learned-mappings/${city?.id}`);
    const again = (await suggested(content)).mappings;
    expect(again.map(({ target }) => target)).toEqual(['first_name', 'last_name', 'skip', 'city']);
    for (const { id } of await learnedMappings()) await app.call('DELETE', `/api/learned-mappings/${id}`);
  });
});

describe('suggested mappings over the API', () => {
  // One of each kind: a vendor's voter file, a state's, a CRM's, manual sheets, repeated headers, Spanish, no
  // headers.
  const chosen =
    /^(l2-voter-file|co-registered-voters|hubspot-contacts|messy-precinct-captain-roster|mailchimp-unsubscribed-custom|outlook-contacts-spanish|headerless-walk-list|lista-vecinal)$/;
  const layouts = [...layoutsOf('public'), ...layoutsOf('hand-made')].filter(({ name }) => chosen.test(name));

  test.each(layouts.map((layout) => [layout.name, layout] as const))('%s', async (_, layout) => {
    const { mappings, status } = await suggested(await csvOf(layout));
    expect(status).toBe('ready');
    expect(mappings).toHaveLength(layout.headers.length);
    // Those that are sensitive wait for the user's choice; the layouts say what they hold.
    const wrong = judgeMappings(layout, mappings).filter(
      ({ right, suggested }) => !right && !suggested.reason?.startsWith('Sensitive'),
    );
    expect(wrong.map(({ header, suggested: { target } }) => `${header} → ${target}`)).toEqual([]);
  });

  test('asks the model of the settings; its failure does not fail the analysis', async () => {
    const set = async (key: string, value: unknown): Promise<void> => {
      expect(await app.call('PUT', `/api/settings/${key}`, { body: { value } })).toMatchObject({ status: 200 });
    };
    await set('ai_provider_base_url', server.baseUrl);
    await set('ai_provider_api_key', 'sk-very-secret-1234567890');
    await set('ai_provider_model', 'small');
    const list = 'First,Last,Blorp\nAda,Example,Quarry Vale\nBert,Example,Ferry End\n';

    server.behave({ answer: { columns: [{ column: 2, target: 'precinct' }] } });
    const asked = await suggested(list);
    expect(asked.mappings.map(({ target }) => target)).toEqual(['first_name', 'last_name', 'precinct']);
    expect(asked.warnings).toEqual([]);
    expect(server.asked[0]).toMatchObject({
      authorization: 'Bearer sk-very-secret-1234567890',
      body: { model: 'small' },
    });
    expect(JSON.stringify(server.asked[0]?.body)).not.toContain('Quarry');

    server.behave({ status: 401 });
    const failed = await suggested(list);
    expect(failed).toMatchObject({
      status: 'ready',
      warnings: [expect.stringContaining('does not accept the key (401)')],
    });
    expect(failed.mappings.map(({ target }) => target)).toEqual(['first_name', 'last_name', 'custom_fields.blorp']);
  });
});
