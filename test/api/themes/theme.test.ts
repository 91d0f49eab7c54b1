import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, sharedApp, startApp } from '../../harness/app/app.ts';
import { bomb, imageInfo, jpeg, noise, png, svg, themeForm, webp } from '../../harness/data/pictures.ts';
import { mountSmallDisk } from '../../harness/data/small-disk.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';

let app: App;
beforeAll(async () => {
  app = await sharedApp();
});

type Parts = Parameters<typeof themeForm>[0];

interface Theme {
  logo_full: string | null;
  logo_cropped: string | null;
  logo_icon: string | null;
  logo_name: string | null;
  [field: string]: unknown;
}

interface Changed {
  message: string;
  theme: Theme;
  applied: string;
  warnings: { field: string; suggestion: string }[];
  code?: string;
  detail?: string;
  issues?: { path: string; message: string }[];
}

async function put(
  id: string,
  parts: Parts,
  { of = app, query = '', token = of.token }: { of?: App; query?: string; token?: string } = {},
) {
  const response = await fetch(`${of.url}/api/tenants/${id}/theme${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: themeForm(parts),
  });
  return { status: response.status, body: (await response.json()) as Changed };
}

const themeOf = async (id: string): Promise<Theme> => (await app.call<Theme>('GET', `/api/tenants/${id}/theme`)).body;
const filesOf = (id: string): Promise<string[]> =>
  readdir(join(app.directory, 'data', 'themes', id)).catch((): string[] => []);

async function fetchLogo(path: string | null, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${app.url}${path}${query}`, {
    headers: query ? headers : { authorization: `Bearer ${app.token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
}

describe('a theme', () => {
  let tenant: TenantAnswer;
  beforeAll(async () => {
    tenant = await makeTenant(app, undefined);
  });

  test('an invalid form names the error', async () => {
    const response = await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="primary_color"\r\n\r\n#AA',
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'validation_error', issues: [{ path: 'form', message: expect.stringContaining('could not be read') }] },
    ]);
  });

  test('accepts colours, in upper case, and keeps the others', async () => {
    const { status, body } = await put(tenant.id, { primary_color: '#aa0f3c', sidebar_color: '#101010' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ applied: 'not_deployed', warnings: [] });
    expect(body.theme).toMatchObject({
      primary_color: '#AA0F3C',
      secondary_color: '#475569',
      sidebar_color: '#101010',
      ai_generated: false,
      logo_full: null,
    });
    expect(await themeOf(tenant.id)).toEqual(body.theme);
    const { body: logs } = await app.call<{ logs: { message: string; details: unknown }[] }>(
      'GET',
      `/api/logs?category=audit&tenant_id=${tenant.id}`,
    );
    expect(logs.logs[0]).toMatchObject({
      message: expect.stringMatching(/^Theme of .* changed by admin$/),
      details: {
        changes: {
          primary_color: { before: '#1D4ED8', after: '#AA0F3C' },
          sidebar_color: { before: '#0F172A', after: '#101010' },
        },
      },
    });
    const { body: timeline } = await app.call<{ entries: { title: string; user: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/timeline?kinds=theme`,
    );
    expect(timeline.entries).toMatchObject([{ title: logs.logs[0]?.message, user: 'admin' }]);
  });

  test('with low contrast is accepted, with the nearest colour that passes', async () => {
    const { body } = await put(tenant.id, { primary_color: '#FFD400' });
    expect(body.theme.primary_color).toBe('#FFD400');
    expect(body.warnings).toMatchObject([
      { field: 'primary_color', against: '#FFFFFF', contrast: 1.43, required: 4.5 },
    ]);
    const again = await put(tenant.id, { primary_color: body.warnings[0]?.suggestion ?? '' });
    expect(again.body.warnings).toEqual([]);
  });

  test('reports the contrast of colours before they are saved', async () => {
    const colours = { primary: '%23ffd400', secondary: '%23475569', accent: '%23B45309', text: '%231F2937' };
    const query = Object.entries(colours).map(([name, hex]) => `${name}_color=${hex}`);
    const ask = (more: string) => app.call('GET', `/api/theme/contrast?${query.join('&')}${more}`);
    expect(await ask('&sidebar_color=%230F172A')).toMatchObject({
      status: 200,
      body: {
        pairs: expect.arrayContaining([
          { field: 'primary_color', against: '#FFFFFF', contrast: 1.43, required: 4.5, passes: false },
        ]),
        warnings: [{ field: 'primary_color', suggestion: expect.stringMatching(/^#[0-9A-F]{6}$/) }],
      },
    });
    expect(await ask('&sidebar_color=blue')).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect((await ask('')).status).toBe(400);
  });

  test.each<[string, Parts, string, string]>([
    ['a colour in words', { primary_color: 'red' }, 'primary_color', 'must have the form #RRGGBB'],
    ['an empty colour', { accent_color: '' }, 'accent_color', 'must have the form #RRGGBB'],
    ['a short colour', { text_color: '#FFF' }, 'text_color', 'must have the form #RRGGBB'],
    ['an unknown field', { colour: '#FFFFFF' }, 'colour', 'Unknown field'],
    [
      'a path as a logo',
      { logo_full: '/etc/passwd' },
      'logo_full',
      'must be a file, or an empty text to remove the logo',
    ],
  ])('rejects %s, naming the field', async (_what, parts, path, message) => {
    const before = await themeOf(tenant.id);
    const { status, body } = await put(tenant.id, { secondary_color: '#000000', ...parts });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_error' });
    expect(body.issues).toEqual([{ path, message }]);
    expect(await themeOf(tenant.id)).toEqual(before);
  });

  test('is a form, each field once', async () => {
    const twice = new FormData();
    for (const colour of ['#111111', '#222222']) twice.append('text_color', colour);
    const answer = await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.token}` },
      body: twice,
    });
    const issues = [{ path: 'text_color', message: 'is sent more than once' }];
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ issues })]);
    const json = await app.call('PUT', `/api/tenants/${tenant.id}/theme`, { body: { primary_color: '#FFFFFF' } });
    expect(json).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await put('nobody', { primary_color: '#FFFFFF' })).status).toBe(404);
    const { token } = await app.userOf('viewer');
    expect((await put(tenant.id, { primary_color: '#FFFFFF' }, { token })).status).toBe(403);
  });
});

describe('logos', () => {
  let tenant: TenantAnswer;
  beforeAll(async () => {
    tenant = await makeTenant(app, undefined);
  });

  test('have a path derived from their content, and the full one also makes an icon', async () => {
    const { status, body } = await put(tenant.id, {
      logo_full: await jpeg(),
      logo_name: svg('<path d="M0 0h40v20z"/>'),
    });
    expect(status).toBe(200);
    const { logo_full: full, logo_icon: icon, logo_name: name, logo_cropped: cropped } = body.theme;
    expect(cropped).toBeNull();
    expect(full).toMatch(new RegExp(`^/api/tenants/${tenant.id}/theme/assets/[0-9a-f]{32}\\.jpg$`));
    expect(icon).toMatch(/\.png$/);

    const picture = await fetchLogo(full);
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
    expect(picture.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(picture.content.includes('Somebody Private')).toBe(false);
    expect(await imageInfo(picture.content)).toEqual({ format: 'jpeg', width: 120, height: 300 });
    const etag = picture.headers.get('etag') ?? '';
    expect(await fetchLogo(full, { 'if-none-match': etag, 'cache-control': 'max-age=0' })).toMatchObject({
      status: 304,
      content: Buffer.alloc(0),
    });

    const drawing = await fetchLogo(name, {}, new URL(await app.withTicket(name ?? '')).search);
    expect(drawing.headers.get('content-type')).toBe('image/png');
    expect(drawing.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(drawing.headers.get('content-security-policy')).toContain('sandbox');
    expect(await imageInfo((await fetchLogo(icon)).content)).toEqual({ format: 'png', width: 256, height: 256 });
    expect((await fetchLogo(full, {}, '?ticket=x')).status).toBe(401);
  });

  test('a custom icon prevents a generated one; a generated one is deleted with its logo', async () => {
    const before = await themeOf(tenant.id);
    const other = await put(tenant.id, { logo_full: await webp({ width: 90, height: 30 }) });
    expect(other.body.theme.logo_icon).not.toBe(before.logo_icon);
    expect((await fetchLogo(before.logo_full)).status).toBe(404);
    const own = await put(tenant.id, { logo_icon: await png({ width: 32, height: 32 }) });
    const kept = await put(tenant.id, { logo_full: await png(), logo_name: '' });
    expect(kept.body.theme).toMatchObject({ logo_icon: own.body.theme.logo_icon, logo_name: null });
    const gone = await put(tenant.id, { logo_full: '', logo_icon: '' });
    expect(gone.body.theme).toMatchObject({ logo_full: null, logo_icon: null });
    expect(await filesOf(tenant.id)).toEqual([]);
    await put(tenant.id, { logo_full: await png() });
    expect((await put(tenant.id, { logo_full: '' })).body.theme).toMatchObject({ logo_full: null, logo_icon: null });
  });

  test('with the same content are one file, which is kept while one of them exists', async () => {
    const picture = await png();
    const { body } = await put(tenant.id, { logo_full: picture, logo_cropped: picture, logo_icon: picture });
    expect(body.theme.logo_cropped).toBe(body.theme.logo_full);
    expect(await filesOf(tenant.id)).toHaveLength(1);
    const less = await put(tenant.id, { logo_full: '', logo_icon: '' });
    expect(less.body.theme).toMatchObject({ logo_full: null, logo_cropped: body.theme.logo_cropped });
    expect((await fetchLogo(less.body.theme.logo_cropped)).status).toBe(200);
    // A client may send back what it received; a form with an empty file field changes nothing.
    const form = themeForm({ logo_cropped: less.body.theme.logo_cropped ?? '' });
    form.append('logo_full', new Blob([]), '');
    const same = await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.token}` },
      body: form,
    });
    expect(((await same.json()) as Changed).theme).toEqual(less.body.theme);
  });

  test('a drawing becomes a PNG', async () => {
    const drawing = svg('<script>alert(1)</script><path onclick="alert(1)" d="M0 0h40v20z"/>');
    const { body } = await put(tenant.id, { logo_name: drawing });
    const { content } = await fetchLogo(body.theme.logo_name);
    expect(await imageInfo(content)).toEqual({ format: 'png', width: 1_024, height: 512 });
  });

  test('a user whose drawings take minutes does not keep others waiting', async () => {
    const steps = '<feMorphology operator="dilate" radius="200"/>'.repeat(20);
    const slow = svg(`<filter id="f">${steps}</filter><rect width="40" height="20" filter="url(#f)"/>`);
    const { token } = await app.userOf('operator');
    const givenUp = new AbortController();
    let ended = 0;
    const others = Array.from({ length: 6 }, async () => {
      const headers = { authorization: `Bearer ${token}` };
      const body = themeForm({ logo_name: slow });
      const { signal } = givenUp;
      await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, { method: 'PUT', headers, body, signal }).catch(() => 0);
      ended += 1;
    });
    expect((await put(tenant.id, { logo_cropped: await png() })).status).toBe(200);
    expect(ended).toBe(0);
    givenUp.abort();
    await Promise.all(others);
  });

  test.each<[string, () => Promise<Buffer<ArrayBuffer>>, number, string, RegExp]>([
    [
      'a file that is not an image',
      async () => Buffer.from('<html></html>'),
      400,
      'unsupported_file',
      /^logo_full: must be a PNG/,
    ],
    ['an empty file', async () => Buffer.alloc(0), 400, 'unsupported_file', /^logo_full: is empty/],
    ['a pixel bomb', () => bomb(60_000), 400, 'unsupported_file', /^logo_full: must be at most 4096 pixels/],
    ['too many bytes', async () => Buffer.alloc(5 * 1024 ** 2 + 1), 413, 'payload_too_large', /larger than 5 MiB/],
  ])('rejects %s, and nothing of the form is saved', async (_what, make, status, code, detail) => {
    const before = { theme: await themeOf(tenant.id), files: await filesOf(tenant.id) };
    const answer = await put(tenant.id, {
      logo_cropped: await png({ width: 50 }),
      primary_color: '#000000',
      logo_full: await make(),
    });
    expect(answer).toMatchObject({ status, body: { code, detail: expect.stringMatching(detail) } });
    expect({ theme: await themeOf(tenant.id), files: await filesOf(tenant.id) }).toEqual(before);
  });

  test('an interrupted upload leaves nothing', async () => {
    const before = { theme: await themeOf(tenant.id), files: await filesOf(tenant.id) };
    const picture = await png({ width: 77 });
    const head = '--x\r\nContent-Disposition: form-data; name="logo_full"; filename="a.png"\r\n\r\n';
    await new Promise<void>((resolve) => {
      const outgoing = httpRequest(`${app.url}/api/tenants/${tenant.id}/theme`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${app.token}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': String(picture.length + 10_000),
        },
      });
      outgoing.on('error', () => resolve());
      outgoing.write(Buffer.concat([Buffer.from(head), picture]), () => outgoing.destroy());
      outgoing.on('close', () => resolve());
    });
    expect({ theme: await themeOf(tenant.id), files: await filesOf(tenant.id) }).toEqual(before);
  });

  test('many concurrent uploads leave one of them with its files', async () => {
    const pictures = await Promise.all(Array.from({ length: 6 }, (_, index) => png({ width: 100 + 10 * index })));
    const answers = await Promise.all(
      pictures.map((picture, index) =>
        put(
          tenant.id,
          index % 2 ? { logo_full: picture } : { logo_cropped: picture, logo_name: '', primary_color: '#000000' },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(pictures.map(() => 200));
    const theme = await themeOf(tenant.id);
    const shown = [theme.logo_full, theme.logo_cropped, theme.logo_icon, theme.logo_name].filter(
      (path) => path !== null,
    );
    for (const path of shown) expect((await fetchLogo(path)).status).toBe(200);
    const used = new Set(shown.map((path) => path.split('/').at(-1)));
    expect((await filesOf(tenant.id)).sort()).toEqual([...used].sort());
  });

  test('paths reach only the theme’s own files', async () => {
    const base = `/api/tenants/${tenant.id}/theme/assets`;
    for (const name of ['..%2f..%2fsecret.key', `${'0'.repeat(32)}.png`, 'x', '.env'])
      expect((await fetchLogo(`${base}/${name}`)).status).toBe(404);
    const other = await makeTenant(app, undefined);
    const { logo_cropped: path } = await themeOf(tenant.id);
    const stranger = (path ?? '').replace(tenant.id, other.id);
    expect((await fetchLogo(path)).status).toBe(200);
    expect((await fetchLogo(stranger)).status).toBe(404);
  });

  test('are deleted with their tenant', async () => {
    expect((await filesOf(tenant.id)).length).toBeGreaterThan(0);
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(
      await until(
        () => filesOf(tenant.id),
        (files) => files.length === 0,
      ),
    ).toEqual([]);
  });
});

describe('the services', () => {
  let tenant: TenantAnswer;
  let repository: string;
  beforeAll(async () => {
    repository = join(app.directory, 'repository');
    const { path } = await makeContactsRepository(repository);
    tenant = await makeTenant(app, path);
    expect(await put(tenant.id, { primary_color: '#0A5F38' }, { query: '?restart=true' })).toMatchObject({
      status: 409,
      body: { code: 'not_deployed' },
    });
    expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    tenant = await getTenant(app, tenant.id);
  });
  afterAll(async () => {
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await rm(repository, { recursive: true, force: true });
  });

  const css = async (): Promise<string> => (await fetch(`http://127.0.0.1:${tenant.frontend_port}/theme.css`)).text();
  const environment = (): Promise<string> => readFile(join(tenant.directory, '.env'), 'utf8');

  test('get a theme when they restart, not before; the environment file has it immediately', async () => {
    const running = await css();
    const { body } = await put(tenant.id, { primary_color: '#7A1FA2', logo_full: await noise(600) });
    expect(body).toMatchObject({ applied: 'pending_restart', message: expect.stringContaining('pending') });
    expect(await css()).toBe(running);
    const written = await environment();
    expect(written.includes("THEME_PRIMARY_COLOR='#7A1FA2'")).toBe(true);
    const [, type, data = ''] = /^THEME_LOGO_FULL='data:([\w/+]+);base64,([^']+)'$/m.exec(written) ?? [];
    expect(type).toBe('image/webp');
    expect(data.length).toBeLessThanOrEqual(64 * 1024);
    expect(await imageInfo(Buffer.from(data, 'base64'))).toMatchObject({ format: 'webp' });
    expect(written.match(/^THEME_LOGO_\w+/gm)).toEqual(['THEME_LOGO_FULL', 'THEME_LOGO_ICON']);
    expect(/^THEME_LOGO_ICON='data:image.webp;base64,/m.test(written)).toBe(true);

    const restarted = await put(tenant.id, {}, { query: '?restart=true' });
    expect(restarted).toMatchObject({ status: 200, body: { applied: 'restarted' } });
    expect(await css()).toContain('--primary: #7A1FA2;');
    expect((await put(tenant.id, { primary_color: '#7a1fa2' })).body.applied).toBe('current');
  });

  test('a theme saved during an operation is pending; a restart is rejected before anything changes', async () => {
    const before = await themeOf(tenant.id);
    const asked = await app.call('POST', `/api/tenants/${tenant.id}/deploy`, { body: {} });
    expect(asked.status).toBe(202);
    const refused = await put(tenant.id, { primary_color: '#123456' }, { query: '?restart=true' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'operation_in_progress' } });
    expect(await themeOf(tenant.id)).toEqual(before);
    expect((await put(tenant.id, { accent_color: '#8A4B00' })).status).toBe(200);
    await until(
      () =>
        app.call<{ status: string }>(
          'GET',
          `/api/deployments/${(asked.body as { deployment_id: string }).deployment_id}`,
        ),
      ({ body }) => !['queued', 'running'].includes(body.status),
    );
    expect((await themeOf(tenant.id)).accent_color).toBe('#8A4B00');
  });
});

describe('a separate manager', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-theme-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const themes = () => join(directory, 'data', 'themes');

  test('removes logos of deleted tenants at startup, and no others', async () => {
    const first = await startApp({ directory });
    const tenant = await makeTenant(first, undefined);
    const { body } = await put(tenant.id, { logo_full: await png() }, { of: first });
    await first.stop();
    await mkdir(join(themes(), 'gone'));
    await writeFile(join(themes(), 'gone', 'logo.png'), 'x');
    const second = await startApp({ directory });
    expect(await readdir(themes())).toEqual([tenant.id]);
    const { status } = await second.call('GET', body.theme.logo_full ?? '');
    expect(status).toBe(200);
    await second.stop();
  });

  test('with a full disk reports it, and leaves nothing partial', async () => {
    await rm(themes(), { recursive: true, force: true });
    const unmount = await mountSmallDisk(themes(), 256);
    if (unmount === undefined) return;
    let own: App | undefined;
    try {
      own = await startApp({ directory });
      const tenant = await makeTenant(own, undefined);
      const { body } = await put(tenant.id, { logo_name: await png() }, { of: own });
      const files = await readdir(join(themes(), tenant.id));
      const refused = await put(tenant.id, { primary_color: '#000000', logo_full: await noise(500) }, { of: own });
      expect(refused).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
      expect(await readdir(join(themes(), tenant.id))).toEqual(files);
      expect((await own.call('GET', `/api/tenants/${tenant.id}/theme`)).body).toEqual(body.theme);
    } finally {
      await own?.stop();
      await unmount();
    }
  });
});
