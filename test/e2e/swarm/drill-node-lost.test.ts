import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { inboxOf } from '../../api/incidents/incident-answers.ts';
import { keyOf } from '../../harness/data/contacts.ts';
import { askDeploy, endOf, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { visit } from '../../harness/proxy/visitor.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';
import { SwarmApp } from '../../harness/swarm/swarm-app.ts';

jest.setTimeout(30 * 60_000);

const tenantsOnNode = 20;
const lost = 3;
/** How long rows are written before the loss, and after the last tenant has answered again. */
const writtenForMs = 5_000;
const everyMs = 1_000;

interface Writer {
  tenant: TenantAnswer;
  key: string;
  /** Rows that the application has answered with 201. */
  saved: string[];
  savedAt: number;
  answeredAfterMs?: number;
}

describeWithSwarm(`drill: the node of ${tenantsOnNode} tenants is lost`, (cluster) => {
  let swarm: SwarmApp;
  const writers: Writer[] = [];

  beforeAll(async () => {
    swarm = await SwarmApp.create(cluster(), { nginx: true });
    await swarm.allow(lost);
    const read = (file: string) => readFile(join(swarm.repository, file), 'utf8');
    const manifest = await read('tenant.yaml');
    const scripts = [...manifest.matchAll(/^ {4}- (\w+)$/gm)].map(([, name]) => name);
    const { version } = await swarm.release({
      // One command for all scripts; and no checks by the engines, whose programs would take both cores of a small machine.
      'tenant.yaml': manifest.replace(/scripts:[\s\S]*/, 'scripts: [all]\n'),
      'scripts/all.js': scripts.map((name) => `await import('./${name}.js');\n`).join(''),
      Dockerfile: (await read('Dockerfile')).replace('WORKDIR', 'HEALTHCHECK NONE\nWORKDIR'),
    });
    await swarm.call('PUT', '/api/settings/deployment_concurrency', 200, { value: 4 });
    await swarm.call('PUT', '/api/settings/unit_memory_mb', 200, { value: 256 });
    const tenants: TenantAnswer[] = [];
    for (let n = 0; n < tenantsOnNode; n += 1) tenants.push(await makeTenant(swarm.app, swarm.repository));
    const asked = tenants.map(({ id }) => askDeploy(swarm.app, id, { target_version: version }));
    for (const id of await Promise.all(asked))
      expect(await endOf(swarm.app, id)).toMatchObject({ status: 'success', error: null });
    for (const tenant of tenants) {
      expect(await swarm.nodeOf(tenant, 'api')).toBe(lost);
      writers.push({ tenant, key: await keyOf((await swarm.spaceOf(tenant)).directory), saved: [], savedAt: 0 });
    }
    await swarm.allow(1, 2, 3);
  });
  afterAll(() => swarm.destroy());

  /** Adds a person through nginx, as a client of the application. */
  async function write(writer: Writer, name: string): Promise<void> {
    const { status } = await visit(swarm.nginx?.httpPort ?? 0, `api.${writer.tenant.slug}.example.org`, {
      method: 'POST',
      path: '/api/persons',
      headers: { 'content-type': 'application/json', 'x-api-key': writer.key },
      body: Readable.from([JSON.stringify({ first_name: 'Row', last_name: name })]),
    }).catch(() => ({ status: 0 }));
    if (status !== 201) return;
    writer.saved.push(name);
    writer.savedAt = performance.now();
  }

  test('they answer again through nginx, and no row that was saved is missing', async () => {
    let writing = true;
    let rows = 0;
    const attempts: Promise<void>[] = [];
    const writeRows = async () => {
      while (writing) {
        rows += 1;
        attempts.push(...writers.map((writer) => write(writer, `row-${rows}`)));
        await sleep(everyMs);
      }
    };
    const written = writeRows();
    await until(async () => writers.every(({ saved }) => saved.length >= writtenForMs / everyMs), Boolean);
    await cluster().lose(lost);
    const began = performance.now();
    const answering = async () => {
      for (const writer of writers) if (writer.savedAt > began) writer.answeredAfterMs ??= writer.savedAt - began;
      return writers.filter(({ answeredAfterMs }) => answeredAfterMs === undefined).map(({ tenant }) => tenant.slug);
    };
    await until(answering, (silent) => silent.length === 0);
    await sleep(writtenForMs);
    writing = false;
    await written;
    await Promise.all(attempts);

    const times = writers.map(({ answeredAfterMs = 0 }) => answeredAfterMs / 1000).sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    console.info(
      `${times.length} tenants answered again after the loss of their node: median ${median?.toFixed(1)} s, worst ${times.at(-1)?.toFixed(1)} s`,
    );
    for (const { tenant, saved } of writers) {
      const found = await swarm.query<{ last_name: string }>(tenant, 'SELECT last_name FROM persons');
      expect(found.map(({ last_name }) => last_name)).toEqual(expect.arrayContaining(saved));
      expect(await swarm.nodeOf(tenant, 'api')).not.toBe(lost);
    }
  });

  test('it is one alert', async () => {
    const alerts = async () =>
      (await inboxOf(swarm.app)).filter(
        ({ event, severity }) => (event === 'node' || event === 'incident') && severity !== 'info',
      );
    await until(alerts, ({ length }) => length > 0);
    // Others would come within this time.
    await sleep(90_000);
    expect(await alerts()).toMatchObject([
      {
        event: 'node',
        key: expect.stringMatching(/\/opened$/),
        title: expect.stringContaining(`The node node${lost} is down`),
      },
    ]);
  });
});
