import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeToString } from 'fast-csv';
import { type Layout, layoutsOf } from '../../fixtures/list-layouts/layouts.ts';
import { judgeMappings } from '../../harness/accuracy/mapping-accuracy.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { analyze, listPath, upload } from '../../harness/data/lists.ts';
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
    const wrong = judgeMappings(layout, mappings).filter(({ right }) => !right);
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
