import { describe, expect, test } from '@jest/globals';
import { usageOf } from '../../../src/adapters/runtimes/recorded/systemd/systemctl/unit-usage.ts';
import { environmentFile, quoted } from '../../../src/adapters/runtimes/recorded/systemd/units/quoting.ts';
import {
  readMark,
  renderUnit,
  startLine,
  type UnitFacts,
} from '../../../src/adapters/runtimes/recorded/systemd/units/unit-file.ts';
import type { UnitSpec } from '../../../src/adapters/runtimes/runtime.ts';

const spec: UnitSpec = {
  tenant: { id: '6f2c', slug: 'acme', directory: '/var/lib/tenantry/tenants/acme' },
  role: 'api',
  release: { key: 'repository-abc', commit: 'abc', checkout: '/var/lib/tenantry/sources/checkouts/repository-abc' },
  definition: { start: 'node api/server.js', port: 8000 },
  environment: { SECRET_KEY: 'of the tenant' },
  hostPort: 32300,
  limits: { memoryMb: 256, cpus: 0.5, pids: 128 },
};
const facts: UnitFacts = {
  spec,
  instance: 'i-1',
  generation: 'g-1',
  user: 'tenantry-0011',
  paths: {
    checkout: spec.release.checkout,
    checkoutWritable: false,
    nodeDirectory: '/opt/node/bin',
    writable: [
      ['/var/lib/tenantry/tenants/acme/data', '/srv/data'],
      ['/var/lib/tenantry/tenants/acme/imports', '/tmp/imports/acme'],
    ],
  },
  environmentFile: '/var/lib/tenantry/systemd/tenants/6f2c/generations/g-1/environment',
  version: 257,
};
const withStart = (start: string | undefined): UnitFacts => ({
  ...facts,
  spec: { ...spec, definition: { ...spec.definition, start } },
});
/** The settings of a section, in order. */
const settings = (text: string, section: string): string[] =>
  (text.split(`[${section}]\n`)[1]?.split('\n\n')[0] ?? '').split('\n').filter((line) => line !== '');

describe('a unit file', () => {
  test('is stable for the same facts, names its owner and contains no secret', () => {
    const text = renderUnit(facts);
    expect(renderUnit(structuredClone(facts))).toBe(text);
    expect(readMark(text)).toEqual({ instance: 'i-1', tenantId: '6f2c' });
    expect(text).not.toContain('of the tenant');
  });

  test('sets confinement, limits and restarts', () => {
    const service = settings(renderUnit(facts), 'Service');
    for (const line of [
      'User=tenantry-0011',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'ProtectHome=tmpfs',
      'SystemCallFilter=@system-service',
      'MemoryMax=256M',
      'CPUQuota=50%',
      'TasksMax=128',
      'Restart=always',
      'TimeoutStopSec=10',
      'RestartSteps=6',
      'BindPaths="/var/lib/tenantry/tenants/acme/data":"/srv/data" "/var/lib/tenantry/tenants/acme/imports":"/tmp/imports/acme"',
      `BindReadOnlyPaths="/opt/node/bin":"/srv/node" "${spec.release.checkout}":"/srv/app"`,
    ])
      expect(service).toContain(line);
  });

  test('for a systemd without growing pauses has a constant one', () => {
    const service = settings(renderUnit({ ...facts, version: 252 }), 'Service');
    expect(service).toContain('RestartSec=5');
    expect(service.join()).not.toContain('RestartSteps');
  });

  test.each([
    ['a line end in the start line', withStart('node a\nUser=root')],
    ['a carriage return', withStart('node a\rUser=root')],
    ['a line separator', withStart('node a\u2028User=root')],
    ['NUL', withStart('node a\0')],
    ['a line end in a path', { ...facts, paths: { ...facts.paths, checkout: '/x\nUser=root' } }],
    ['a line end in the instance', { ...facts, instance: 'a\nTenant=b' }],
    ['a line end in the path of the environment', { ...facts, environmentFile: '/x\nUser=root' }],
    ['no start line', withStart(undefined)],
  ])('rejects %s', (_, wrong) => {
    expect(() => renderUnit(wrong)).toThrow(/line end|start is missing/);
  });

  test('takes malicious values literally', () => {
    const text = renderUnit({
      ...facts,
      paths: { ...facts.paths, checkout: `/a "b" %i \\c:d` },
      environmentFile: '/100%/environment',
    });
    const service = settings(text, 'Service');
    expect(service).toContain('BindReadOnlyPaths="/opt/node/bin":"/srv/node" "/a \\"b\\" %%i \\\\c:d":"/srv/app"');
    expect(service).toContain('EnvironmentFile=/100%%/environment');
  });

  test('another manager’s mark is not ours, a file without one belongs to no manager', () => {
    expect(readMark('[Service]\nExecStart=/bin/true\n')).toBeUndefined();
    expect(readMark('[Service]\nInstance=i-1\nTenant=6f2c\n')).toBeUndefined();
  });
});

describe('a start command', () => {
  test.each(['node server.js', 'node api/server.js --port=80', './run', 'npm start', 'npm run start:api'])(
    'of one program (%s) replaces the shell and gets the signal directly',
    (line) => {
      expect(startLine(line)).toEqual({ execStart: `:/bin/sh -c "exec ${line}"`, killMode: 'mixed' });
    },
  );

  test.each([
    'cd api && node server.js',
    'A=1 node server.js',
    'node "a b.js"',
    'node a.js; node b.js',
    'node $FILE',
    'exec node a.js',
    'cd api',
    '. ./start',
    'node *.js',
    'node a.js # b',
    'node a.js | tee log',
    ' node a.js',
  ])('of more (%s) keeps its shell, and all processes get the signal', (line) => {
    expect(startLine(line)).toMatchObject({ killMode: 'control-group' });
    expect(startLine(line).execStart).not.toContain(`"exec ${line}`);
  });
});

describe('quoting', () => {
  test.each([
    ['plain', '"plain"'],
    ['100% %n', '"100%% %%n"'],
    ['a "b" \\c', '"a \\"b\\" \\\\c"'],
    ['$HOME `id`', '"$HOME `id`"'],
    ["it's", '"it\'s"'],
    ['', '""'],
  ])('of %s', (value, text) => expect(quoted(value)).toBe(text));

  test('an environment file escapes what systemd would interpret, and keeps the rest', () => {
    expect(environmentFile({ A: '1', B: 'a"b\\c$d`e', C: 'two\nlines\r\n', D: '%i ü #' })).toBe(
      'A="1"\nB="a\\"b\\\\c\\$d\\`e"\nC="two\nlines\r\n"\nD="%i ü #"\n',
    );
  });

  test.each([['A B'], ['A=1\nB'], ['1A'], [''], ['A-B']])('rejects a name like %j', (name) => {
    expect(() => environmentFile({ [name]: 'x' })).toThrow('can’t name a variable'.replace('’', "'"));
  });

  test('rejects NUL by the variable’s name', () => {
    expect(() => environmentFile({ A: 'x\0y' })).toThrow('A must not hold a NUL');
  });
});

describe('resource usage of a service', () => {
  const shown = (changes: Record<string, string>): string =>
    Object.entries({
      MemoryCurrent: '1048576',
      CPUUsageNSec: '2500000000',
      MemoryMax: '268435456',
      ActiveState: 'active',
      ...changes,
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');

  test('is read from systemd', () => {
    expect(usageOf(shown({}))).toEqual({ cpuMs: 2_500, memoryBytes: 1_048_576, memoryLimitBytes: 268_435_456 });
    expect(usageOf(shown({ MemoryMax: 'infinity' }))).toMatchObject({ memoryLimitBytes: null });
    expect(usageOf(shown({ CPUUsageNSec: '[not set]' }))).toMatchObject({ cpuMs: null, memoryBytes: 1_048_576 });
  });

  test.each([{ ActiveState: 'inactive' }, { MemoryCurrent: '[not set]' }, { MemoryCurrent: '18446744073709551615' }])(
    'has no values if there are none (%j)',
    (changes) => {
      expect(usageOf(shown(changes))).toBeUndefined();
    },
  );
});
