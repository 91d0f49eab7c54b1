import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Proposal, testCandidate } from '../../../../src/adapters/proxies/nginx/config/candidate.ts';
import { readMainConfig } from '../../../../src/adapters/proxies/nginx/config/main-config.ts';
import { NginxProgram } from '../../../../src/adapters/proxies/nginx/nginx-program.ts';
import { type Layout, layoutOf } from '../../../../src/adapters/proxies/nginx/options.ts';
import { describeWithNginx, TestNginx } from '../../../harness/proxy/nginx.ts';

describeWithNginx('a candidate of the whole configuration', () => {
  let nginx: TestNginx;
  let layout: Layout;

  beforeAll(async () => {
    nginx = await TestNginx.create();
    layout = layoutOf(nginx.options());
    await (await nginx.proxy()).close();
  });
  afterAll(() => nginx?.destroy());

  const ask = async (...proposals: Proposal[]): Promise<{ valid: boolean; output: string }> => {
    const program = new NginxProgram(nginx.options(), layout);
    return testCandidate(layout, program, await readMainConfig(layout), proposals);
  };
  const server = (name: string): string =>
    `server { listen 127.0.0.1:${nginx.httpPort}; server_name ${name}; return 204; }\n`;

  test('replaces the active file, which is not read', async () => {
    const live = join(nginx.sites, 'shop.conf');
    await writeFile(live, 'nonsense;');
    expect(await ask()).toMatchObject({ valid: false });
    expect(await ask({ slug: 'shop', text: server('shop.example') })).toMatchObject({ valid: true });
    expect(await ask({ slug: 'shop', text: null })).toMatchObject({ valid: true });
    await writeFile(live, server('shop.example'));
  });

  test('is tested together with all other files', async () => {
    const { output } = await ask({ slug: 'other', text: server('shop.example') });
    expect(output).toContain('conflicting server name "shop.example"');
    const moved = await ask(
      { slug: 'other', text: server('shop.example') },
      { slug: 'shop', text: server('moved.example') },
    );
    expect(moved.output).not.toContain('conflicting');
  });

  test('ignores files that nginx does not read', async () => {
    for (const name of ['.hidden.conf', 'shop.conf.bak', '.shop.former']) await writeFile(join(nginx.sites, name), '}');
    expect(await ask({ slug: 'other', text: server('other.example') })).toMatchObject({ valid: true });
  });

  test('shows nginx’s words with the real file names and lines; leaves no files behind', async () => {
    const before = await readdir(nginx.directory, { recursive: true });
    expect(await ask({ slug: 'other', text: `${server('other.example')}nonsense;\n` })).toEqual({
      valid: false,
      output: expect.stringContaining(`unknown directive "nonsense" in ${nginx.sites}/other.conf:2`),
    });
    await appendFile(layout.mainConfig, '\nnonsense;\n');
    const { text } = await readMainConfig(layout);
    const { output } = await ask({ slug: 'other', text: server('other.example') });
    expect(output).toContain(`in ${layout.mainConfig}:${text.split('\n').indexOf('nonsense;') + 1}`);
    expect(output).not.toContain('candidate');
    expect(await readdir(nginx.directory, { recursive: true })).toEqual(before);
  });
});
