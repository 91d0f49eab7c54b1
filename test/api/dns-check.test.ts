import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/app/config/config.ts';
import { type App, startApp } from '../harness/app/app.ts';
import { type NameServer, startNameServer } from '../harness/servers/dns.ts';

interface Result {
  name: string;
  state: string;
  addresses: string[];
  advice: string | null;
}

let app: App;
let names: NameServer;

beforeAll(async () => {
  names = await startNameServer({
    'here.example.org': ['203.0.113.7'],
    'elsewhere.example.org': ['198.51.100.9'],
    'six.example.org': ['2001:db8:0:0::7'],
    'both.example.org': ['203.0.113.7', '198.51.100.9'],
    'proxy.example.org': ['203.0.113.7'],
    'silent.example.org': null,
  });
  app = await startApp({ environment: { DNS_SERVERS: names.address } });
});
afterAll(async () => {
  await app?.stop();
  await names?.stop();
});

const ask = (body: object, token?: string) =>
  app.call<{ results: Result[]; code?: string; issues?: { path: string }[] }>('POST', '/api/dns-check', {
    body,
    ...(token ? { token } : {}),
  });
const check = async (...asked: string[]): Promise<Result[]> => (await ask({ names: asked })).body.results;
const setAddresses = async (value: string): Promise<void> => {
  expect((await app.call('PUT', '/api/settings/public_addresses', { body: { value } })).status).toBe(200);
};

test('without public addresses it shows where names lead, and what to create', async () => {
  expect(await check('here.example.org', 'missing.example.org')).toEqual([
    {
      name: 'here.example.org',
      state: 'resolves',
      addresses: ['203.0.113.7'],
      advice: 'Set public_addresses to compare them with your reverse proxy.',
    },
    {
      name: 'missing.example.org',
      state: 'missing',
      addresses: [],
      advice: 'Create an A record with the address of your reverse proxy.',
    },
  ]);
});

test.each(['203.0.113.7', 'proxy.example.org'])('compares with %s, and says which records to change', async (ours) => {
  await setAddresses(ours);
  const found = await check('here.example.org', 'elsewhere.example.org', 'both.example.org', 'missing.example.org');
  expect(found.map(({ state, advice }) => [state, advice])).toEqual([
    ['correct', null],
    [
      'elsewhere',
      'Change the records to 203.0.113.7, unless a service in front of your reverse proxy has these addresses.',
    ],
    ['elsewhere', 'Remove the records with 198.51.100.9: some visitors are led there.'],
    ['missing', 'Create an A record with 203.0.113.7.'],
  ]);
});

test.each(['silent.example.org', 'missing.example.org', '203.0.113.7, missing.example.org'])(
  'when public_addresses (%s) cannot be resolved, it says so, and no record is called wrong',
  async (ours) => {
    await setAddresses(ours);
    const unresolved = ours.split(' ').at(-1);
    const advice = `The setting public_addresses cannot be resolved: no address of ${unresolved} was found. Correct the setting or that host name’s records, then check again.`;
    expect(await check('here.example.org', 'elsewhere.example.org', 'none.example.org')).toEqual([
      { name: 'here.example.org', state: 'unknown', addresses: ['203.0.113.7'], advice },
      { name: 'elsewhere.example.org', state: 'unknown', addresses: ['198.51.100.9'], advice },
      { name: 'none.example.org', state: 'missing', addresses: [], advice },
    ]);
  },
);

test('an IPv6 address needs an AAAA record', async () => {
  await setAddresses('203.0.113.7, 2001:DB8:0::7');
  const [missing, six] = await check('missing.example.org', 'six.example.org');
  expect(six).toMatchObject({ state: 'correct', addresses: ['2001:db8::7'] });
  expect(missing?.advice).toBe('Create A and AAAA records with 203.0.113.7 or 2001:db8::7.');
});

test('a name server that does not answer is no missing name', async () => {
  const [silent, here] = await check('silent.example.org', 'here.example.org');
  expect([silent?.state, here?.state]).toEqual(['unknown', 'correct']);
});

test('refuses what is no host name without asking, viewers, and more than ten names', async () => {
  names.asked.clear();
  for (const name of ['127.0.0.1', 'no_name.example', '', `${'a'.repeat(64)}.example.org`]) {
    const { status, body } = await ask({ names: [name] });
    expect([name, status, body.code]).toEqual([name, 400, 'validation_error']);
  }
  expect((await ask({ names: Array.from({ length: 11 }, () => 'here.example.org') })).status).toBe(400);
  const viewer = await app.userOf('viewer');
  expect((await ask({ names: ['here.example.org'] }, viewer.token)).status).toBe(403);
  expect([...names.asked]).toEqual([]);
});

test('refuses a setting that is neither addresses nor host names', async () => {
  const { status } = await app.call('PUT', '/api/settings/public_addresses', { body: { value: 'not an address!' } });
  expect(status).toBe(400);
});

test('name servers are IP addresses with or without a port', () => {
  const accepted = ['1.1.1.1', '1.1.1.1:53', '2606:4700::1111', '[2606:4700::1111]:53'];
  expect(readConfig({ DNS_SERVERS: accepted.join(',') }).DNS_SERVERS).toEqual(accepted);
  for (const refused of ['resolver.example.org', '1.1.1.1:', '1.1.1.1:99999'])
    expect(() => readConfig({ DNS_SERVERS: refused })).toThrow('DNS_SERVERS');
});

test('a user is limited to sixty checks a minute', async () => {
  const operator = await app.userOf('operator');
  const statuses: number[] = [];
  for (let count = 0; count < 62; count += 1)
    statuses.push((await ask({ names: ['here.example.org'] }, operator.token)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
});
