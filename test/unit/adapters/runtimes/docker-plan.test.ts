import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { extract } from 'tar-fs';
import { unitState } from '../../../../src/adapters/runtimes/docker/units/desired-state.ts';
import { BuildProgress } from '../../../../src/adapters/runtimes/engine/client/build-progress.ts';
import { framesOf } from '../../../../src/adapters/runtimes/engine/client/log-frames.ts';
import {
  commandLine,
  type PlanFacts,
  planDatabase,
  planJob,
  planUnit,
} from '../../../../src/adapters/runtimes/engine/container-plan.ts';
import { usageOf } from '../../../../src/adapters/runtimes/engine/container-usage.ts';
import { imageContext } from '../../../../src/adapters/runtimes/engine/images/image-context.ts';
import { resolveOwner } from '../../../../src/adapters/runtimes/engine/images/image-user.ts';
import { freeSubnet, routedSubnets } from '../../../../src/adapters/runtimes/engine/network-plan.ts';
import type { UnitSpec } from '../../../../src/adapters/runtimes/runtime.ts';

describe('subnets of tenants', () => {
  test('uses the first free /28 of the pool, next to networks of any size and kind', () => {
    expect(freeSubnet('10.213.0.0/16', [])).toBe('10.213.0.0/28');
    expect(freeSubnet('10.213.0.0/16', ['10.213.0.0/28', '172.17.0.0/16', 'fd00::/64'])).toBe('10.213.0.16/28');
    expect(freeSubnet('10.213.0.0/16', ['10.213.0.0/20', '10.213.16.8/30'])).toBe('10.213.16.16/28');
    expect(freeSubnet('10.213.0.0/16', ['10.213.0.16/28'])).toBe('10.213.0.0/28');
    expect(freeSubnet('10.213.0.0/16', [], new Set(['10.213.0.0/28']))).toBe('10.213.0.16/28');
    expect(freeSubnet('255.255.255.224/27', ['255.255.255.224/28'])).toBe('255.255.255.240/28');
  });

  test('knows what the machine’s own routes use of the pool, whatever is wider', () => {
    const table = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
      'vpn0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0',
      'vpn0\t0000D50A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
      'br-1\t1000D50A\t00000000\t0001\t0\t0\t0\tF0FFFFFF\t0\t0\t0',
      'vm0\t0001D50A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
      'vm0\t0001D60A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
      '',
    ].join('\n');
    expect(routedSubnets(table, '10.213.0.0/16')).toEqual(['10.213.0.16/28', '10.213.1.0/24']);
  });

  test('reports a full and an invalid pool', () => {
    expect(() => freeSubnet('10.0.0.0/27', ['10.0.0.0/28', '10.0.0.16/28'])).toThrow('No free network is left');
    expect(() => freeSubnet('10.0.0.0/16', ['0.0.0.0/0'])).toThrow('No free network is left');
    for (const pool of ['10.0.0.0/29', '10.0.0.300/16', 'fd00::/8', '10.0.0.0'])
      expect(() => freeSubnet(pool, [])).toThrow(`Not a pool of IPv4 networks: ${pool}`);
  });

  test('subnets never overlap, and the pool is used completely', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(255), fc.integer({ min: 24, max: 32 })), { maxLength: 6 }), (others) => {
        const taken = others.map(([host, bits]) => `10.9.0.${host}/${bits}`);
        const free = new Set(Array.from({ length: 256 }, (_, host) => host));
        for (const [host, bits] of others) {
          const count = 2 ** (32 - bits);
          const first = Math.floor(host / count) * count;
          for (let used = first; used < first + count; used += 1) free.delete(used);
        }
        const room = Array.from({ length: 16 }, (_, block) => block * 16).filter((first) =>
          Array.from({ length: 16 }, (_, at) => first + at).every((host) => free.has(host)),
        );
        for (const first of room) {
          expect(freeSubnet('10.9.0.0/24', taken)).toBe(`10.9.0.${first}/28`);
          taken.push(`10.9.0.${first}/28`);
        }
        expect(() => freeSubnet('10.9.0.0/24', taken)).toThrow('No free network');
      }),
    );
  });
});

describe('containers', () => {
  const tenant = { id: '11111111-2222-4333-8444-555555555555', slug: 'acme', directory: '/srv/acme' };
  const spec: UnitSpec = {
    tenant,
    role: 'api',
    release: { key: 'contacts-abc', commit: 'abc', checkout: '/srv/checkouts/abc' },
    definition: { port: 8000, image: { dockerfile: 'Dockerfile', target: 'api' } },
    environment: { B: '2', A: '1', PORT: '1', HOST: 'elsewhere' },
    hostPort: 32301,
    limits: { memoryMb: 256, cpus: 8, pids: 100 },
  };
  const facts: PlanFacts = {
    instance: 'one',
    can: { memory: true, swap: true, pids: true, cpus: 2 },
    publish: true,
    importRoot: '/tmp/imports',
  };

  test('sets environment, volumes, network and loopback port of a unit', () => {
    const { options } = planUnit(spec, facts);
    expect(options).toMatchObject({
      Image: 'tenantry/api:contacts-abc',
      Env: ['A=1', 'B=2', 'HOST=0.0.0.0', 'PORT=8000'],
      StopSignal: 'SIGTERM',
      StopTimeout: 10,
      NetworkingConfig: { EndpointsConfig: { 'tenantry-acme': { Aliases: ['acme-api'] } } },
      HostConfig: {
        NetworkMode: 'tenantry-acme',
        PortBindings: { '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: '32301' }] },
        Mounts: [
          { Type: 'volume', Source: `tenantry-${tenant.id}-data`, Target: '/data' },
          { Type: 'volume', Source: `tenantry-${tenant.id}-imports`, Target: '/tmp/imports/acme' },
        ],
        Memory: 268_435_456,
        MemorySwap: 268_435_456,
        PidsLimit: 100,
        // No more processors than the machine has: the engine would reject it.
        NanoCpus: 2e9,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
      },
    });
  });

  test('does not set limits that the engine does not support', () => {
    const { options } = planUnit(spec, { ...facts, can: { memory: false, swap: false, pids: false, cpus: 0 } });
    for (const key of ['Memory', 'MemorySwap', 'PidsLimit', 'NanoCpus'])
      expect(options.HostConfig).not.toHaveProperty(key);
  });

  test('a manager in a container needs no published port', () => {
    expect(planUnit(spec, { ...facts, publish: false }).options.HostConfig?.PortBindings).toEqual({});
  });

  test('equal specifications have equal digests, any change gives another', () => {
    const { digest } = planUnit(spec, facts);
    expect(planUnit({ ...spec, environment: { A: '1', HOST: '', PORT: '', B: '2' } }, facts).digest).toBe(digest);
    const changed: Partial<UnitSpec>[] = [
      { environment: { A: '1' } },
      { hostPort: 32303 },
      { role: 'frontend' },
      { limits: { ...spec.limits, memoryMb: 257 } },
      { release: { ...spec.release, commit: 'abd', key: 'contacts-abd' } },
      { definition: { ...spec.definition, port: 8001 } },
    ];
    const digests = changed.map((change) => planUnit({ ...spec, ...change }, facts).digest);
    expect(new Set([digest, ...digests]).size).toBe(changed.length + 1);
  });

  test('a job runs the repository’s command line instead of the image’s', () => {
    const { options } = planJob(spec, facts);
    expect(options).toMatchObject({ Entrypoint: ['/bin/sh'], Cmd: [], OpenStdin: true });
    expect(commandLine('node a.js && echo "$X"')).toEqual(['/bin/sh', '-c', 'node a.js && echo "$X"']);
    expect(options.HostConfig).toMatchObject({ RestartPolicy: { Name: 'no' }, CapDrop: ['ALL'] });
    expect(options.HostConfig).not.toHaveProperty('PortBindings');
  });

  test('a database server gets the few privileges that its entrypoint needs', () => {
    const { options } = planDatabase({ tenant, image: 'mariadb:11.8', environment: {}, limits: spec.limits }, facts);
    expect(options.HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'SETGID', 'SETUID'],
      Mounts: [{ Source: `tenantry-${tenant.id}-db`, Target: '/var/lib/mysql' }],
      PortBindings: { '3306/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
    });
  });
});

describe('the state of a unit', () => {
  const never = '0001-01-01T00:00:00Z';
  const state = {
    Status: 'exited',
    Running: false,
    Paused: false,
    Restarting: false,
    OOMKilled: false,
    Dead: false,
    Pid: 0,
    ExitCode: 0,
    Error: '',
    StartedAt: '2026-11-20T11:00:00.123456789Z',
    FinishedAt: never,
  };
  const seen = (changes: Partial<typeof state>, policy: string, RestartCount = 0) =>
    unitState({
      State: { ...state, ...changes },
      HostConfig: { RestartPolicy: { Name: policy } },
      RestartCount,
      Config: { Labels: { 'org.tenantry.commit': 'abc' } },
    });

  test.each([
    ['runs', { Running: true, Status: 'running' }, 'unless-stopped', 'active', null, false],
    [
      'waits between two attempts',
      { Running: true, Restarting: true, ExitCode: 3 },
      'unless-stopped',
      'inactive',
      'Exit code 3; starts again (restart 4)',
      false,
    ],
    [
      'ran out of memory',
      { Running: true, Restarting: true, OOMKilled: true, ExitCode: 137 },
      'unless-stopped',
      'inactive',
      'Out of memory; starts again (restart 4)',
      false,
    ],
    ['was stopped', { ExitCode: 143 }, 'no', 'inactive', null, false],
    [
      'is being given up: the engine may still start it again',
      { Running: true, Restarting: true, ExitCode: 1 },
      'on-failure',
      'inactive',
      'Exit code 1; starts again (restart 4)',
      false,
    ],
    ['was given up', { ExitCode: 1 }, 'on-failure', 'inactive', 'Exit code 1; given up after 4 restarts', true],
    [
      'was stopped at the engine',
      { ExitCode: 137 },
      'unless-stopped',
      'inactive',
      'Exit code 137; stopped from outside',
      false,
    ],
    [
      'could not start',
      { Status: 'created', Error: 'port is taken' },
      'unless-stopped',
      'inactive',
      'port is taken',
      false,
    ],
    ['is paused', { Running: true, Paused: true }, 'unless-stopped', 'inactive', 'Paused', false],
  ] as const)('%s', (_, changes, policy, expected, reason, gaveUp) => {
    expect(seen(changes, policy, 4)).toMatchObject({
      state: expected,
      commit: 'abc',
      reason,
      gaveUp,
      startedAt: new Date('2026-11-20T11:00:00.123Z'),
    });
  });

  test.each([
    ['an exit code', { Running: true, Restarting: true, ExitCode: 3 }, { code: 3, signal: null, outOfMemory: false }],
    ['a signal', { ExitCode: 139 }, { code: 139, signal: 'SIGSEGV', outOfMemory: false }],
    ['lack of memory', { ExitCode: 137, OOMKilled: true }, { code: 137, signal: 'SIGKILL', outOfMemory: true }],
    ['none while it runs', { Running: true, Status: 'running' }, undefined],
  ])('reports its end for programs: %s', (_, changes, lastExit) => {
    const found = seen({ FinishedAt: '2026-11-20T12:00:00Z', ...changes }, 'unless-stopped', 4);
    expect(found.restarts).toBe(4);
    expect(found.lastExit).toEqual(lastExit && expect.objectContaining(lastExit));
  });

  test.each([
    ['paused', { Running: true, Paused: true }],
    ['stopped_outside', { ExitCode: 137, Status: 'exited' }],
    ['cannot_start', { Status: 'created', Error: 'port is taken' }],
    [undefined, { Running: true, Restarting: true, ExitCode: 3 }],
  ])('reports what keeps it from running: %s', (obstacle, changes) => {
    expect(seen(changes, 'unless-stopped').obstacle).toBe(obstacle);
  });

  test('reports no date for a unit that never started', () => {
    expect(seen({ Status: 'created', StartedAt: never }, 'unless-stopped')).toMatchObject({
      startedAt: null,
      reason: null,
    });
  });
});

describe('a build context', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-context-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function packed(files: Record<string, string>, dockerfile = 'Dockerfile'): Promise<string[]> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(directory, path, '..'), { recursive: true });
      await writeFile(join(directory, path), content, { mode: 0o600 });
    }
    const names: string[] = [];
    const { open } = await imageContext(directory, { dockerfile }, new AbortController().signal);
    const unpacked = extract(join(directory, 'unpacked'), {
      map: (header) => {
        names.push(`${header.name}${header.type === 'directory' ? '/' : ''} ${header.uid} ${header.mode.toString(8)}`);
        return header;
      },
    });
    await pipeline(open(), unpacked);
    return names.sort();
  }

  test.each([
    ['a name is at the root only, and takes all below', 'a', ['b/a', 'ab', 'b'], ['a', 'a/b', 'a/b/c']],
    [
      '**/ is at any depth',
      '**/node_modules',
      ['node_modules2'],
      ['node_modules', 'x/node_modules/y', 'x/y/node_modules'],
    ],
    ['* stops at /', '*.log', ['x/a.log', 'a.logs'], ['a.log', '.log']],
    ['** crosses /', 'x/**/*.log', ['a.log', 'x/a.txt'], ['x/a.log', 'x/y/z/a.log']],
    [
      '? is one character, [] one of some, [^] none of them',
      'a?c\nb[1-3]\nc[^1-3]',
      ['ac', 'a/c', 'b4', 'c1'],
      ['abc', 'b2', 'c4'],
    ],
    ['slashes and dots are tidied', '/a/\n./b\nc//d\ne/../f', ['e'], ['a', 'b', 'c/d', 'f']],
    ['comments, empty lines and Windows line ends are passed over', '# a\r\n\r\nb\r\n', ['# a', 'a'], ['b']],
    ['characters of regular expressions are themselves', 'a.b+(c)|{d}$', ['axb+(c)|{d}$'], ['a.b+(c)|{d}$']],
    ['a backslash takes the meaning away', '\\*.log', ['a.log'], ['*.log']],
    ['the last one that matches decides', 'a\n!a/keep\na/keep/not', ['a/keep', 'a/keep/x'], ['a', 'a/b', 'a/keep/not']],
    ['everything but', '*\n!src\n!package.json', ['src/a/b', 'package.json'], ['dist', 'a/b', 'a/package.json']],
  ])('follows a .dockerignore: %s', async (_, file, kept, ignored) => {
    const paths = [...kept, ...ignored];
    const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
    const names = await packed({ ...Object.fromEntries(leaves.map((path) => [path, ''])), '.dockerignore': file });
    const there = new Set(names.map((line) => line.replace(/\/? \d+ \d+$/, '')));
    expect(paths.filter((path) => there.has(path))).toEqual(kept);
  });

  test('gives up on a .dockerignore with an exponential pattern, by name', async () => {
    await writeFile(join(directory, '.dockerignore'), `${'*a'.repeat(50)}b`);
    await writeFile(join(directory, 'a'.repeat(250)), '');
    const context = imageContext(directory, { dockerfile: 'Dockerfile' }, new AbortController().signal, 2_000);
    await expect(context).rejects.toThrow('.dockerignore: took more than 2 s of processor time');
  });

  test('holds what is not ignored, once, as root, readable by all; never .git', async () => {
    const files = {
      Dockerfile: '',
      'src/a.js': '',
      'src/deep/b.js': '',
      'a.log': '',
      '.git/config': 'secret',
      '.dockerignore': '*.log',
    };
    expect(await packed(files)).toEqual([
      '.dockerignore 0 644',
      'Dockerfile 0 644',
      'src/ 0 755',
      'src/a.js 0 644',
      'src/deep/ 0 755',
      'src/deep/b.js 0 644',
    ]);
  });

  test('holds what is re-included from an ignored directory, and always the Dockerfile', async () => {
    const files = { 'build/Dockerfile': '', 'lib/keep/a.js': '', 'lib/b.js': '', '.dockerignore': '*\n!lib/keep' };
    expect(await packed(files, './build/Dockerfile')).toEqual([
      '.dockerignore 0 644',
      'build/Dockerfile 0 644',
      'lib/keep/ 0 755',
      'lib/keep/a.js 0 644',
    ]);
  });

  test.each([
    ['a link out of the repository', () => symlink('/dev/zero', join(directory, '.dockerignore')), /plain file/],
    ['a directory', () => mkdir(join(directory, '.dockerignore')), /plain file/],
    ['too large', () => writeFile(join(directory, '.dockerignore'), 'a\n'.repeat(200_000)), /at most 256 KiB/],
    ['wrong', () => writeFile(join(directory, '.dockerignore'), '[z-a]'), /^\.dockerignore: /],
  ])('rejects a .dockerignore that is %s by name', async (_, make, reason) => {
    await make();
    await expect(packed({ Dockerfile: '' })).rejects.toThrow(reason);
  });

  test('follows a .dockerignore that is a link within the repository', async () => {
    await symlink('.gitignore', join(directory, '.dockerignore'));
    const names = await packed({ Dockerfile: '', '.gitignore': 'a', a: '', b: '' });
    expect(names.map((line) => line.split(' ')[0])).toEqual(['.dockerignore', '.gitignore', 'Dockerfile', 'b']);
  });

  test('prefers the Dockerfile’s own .dockerignore to the common one', async () => {
    const files = { 'api.Dockerfile': '', 'api.Dockerfile.dockerignore': 'b', '.dockerignore': 'a', a: '', b: '' };
    const names = (await packed(files, 'api.Dockerfile')).map((line) => line.split(' ')[0]);
    expect(names).toContain('a');
    expect(names).not.toContain('b');
  });
});

describe("the image's user", () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1001::/home/node:/bin/sh\n';
  const group = 'root:x:0:\nstaff:x:50:node\n';

  test.each([
    ['', 0, 0],
    ['node', 1000, 1001],
    ['1000', 1000, 1001],
    ['4242', 4242, 0],
    ['node:staff', 1000, 50],
    ['1000:7', 1000, 7],
  ])('%j', (user, uid, gid) => expect(resolveOwner(user, passwd, group)).toEqual({ uid, gid }));

  test('reports a name that is in no file', () => {
    expect(() => resolveOwner('nobody', passwd, group)).toThrow("The image's user nobody");
    expect(() => resolveOwner('node:nobody', passwd, group)).toThrow("The image's user node:nobody");
  });
});

describe('output of the engine', () => {
  const frame = (stream: number, text: string): Buffer => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(content.length, 4);
    return Buffer.concat([header, content]);
  };

  test('finds frames at any chunk boundary', async () => {
    const whole = Buffer.concat([frame(1, 'grün\n'), frame(2, ''), frame(2, 'rot\n'), frame(1, 'x')]);
    for (let size = 1; size <= whole.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const found: string[] = [];
      for await (const { stream, content } of framesOf(Readable.from(chunks))) found.push(`${stream} ${content}`);
      expect(found).toEqual(['stdout grün\n', 'stderr ', 'stderr rot\n', 'stdout x']);
    }
  });

  test('reports steps, output, and the failure of a build', () => {
    const varint = (value: number): number[] =>
      value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
    const bytes = (number: number, content: string | Buffer): Buffer => {
      const body = Buffer.from(content as string);
      return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(body.length)]), body]);
    };
    const trace = (...parts: Buffer[]): string =>
      JSON.stringify({ id: 'moby.buildkit.trace', aux: Buffer.concat(parts).toString('base64') });
    const time = Buffer.from([8, 1]);
    const step = bytes(1, Buffer.concat([bytes(1, 'sha256:1'), bytes(3, 'RUN make'), bytes(5, time)]));
    const failed = bytes(
      1,
      Buffer.concat([
        bytes(1, 'sha256:1'),
        bytes(3, 'RUN make'),
        bytes(5, time),
        bytes(6, time),
        bytes(7, 'exit code: 3'),
      ]),
    );
    const cached = bytes(
      1,
      Buffer.concat([bytes(1, 'sha256:2'), bytes(3, 'COPY . .'), Buffer.from([32, 1]), bytes(5, time)]),
    );
    const output = (text: string): Buffer =>
      bytes(3, Buffer.concat([bytes(1, 'sha256:1'), Buffer.from([24, 1]), bytes(4, text)]));

    const progress = new BuildProgress();
    const lines = [
      trace(step, cached),
      trace(step, output('one\ntw')),
      trace(output('o\nend')),
      trace(failed),
      JSON.stringify({ errorDetail: { message: 'it failed' }, error: 'it failed' }),
      JSON.stringify({ id: 'layer', status: 'Downloading', progress: '1/2' }),
      JSON.stringify({ id: 'layer', status: 'Downloading', progress: '2/2' }),
      JSON.stringify({ stream: 'Step 1/2 : FROM x' }),
      JSON.stringify({ stream: '\n' }),
      'no JSON',
    ].flatMap((json) => progress.lines(json));
    expect([...lines, ...progress.end()]).toEqual([
      'RUN make',
      'COPY . . (cached)',
      'one',
      'two',
      'end',
      'RUN make: exit code: 3',
      'layer: Downloading',
      'Step 1/2 : FROM x',
    ]);
    expect(progress.error).toBe('it failed');
  });
});

describe('resource usage of a container', () => {
  const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000 } };
  const of = (stats: object, limit?: number) => usageOf(stats as Parameters<typeof usageOf>[0], limit);

  test.each([
    ['cgroup 1', { total_inactive_file: 30, inactive_file: 1 }],
    ['cgroup 2', { inactive_file: 30 }],
  ])('excludes the page cache (%s)', (_version, stats) => {
    expect(of({ cpu_stats, memory_stats: { usage: 100, stats } }, 512)).toEqual({
      cpuMs: 2_500,
      memoryBytes: 70,
      memoryLimitBytes: 512,
    });
  });

  test('has no limit if none is set, and no values for a stopped container', () => {
    expect(of({ cpu_stats, memory_stats: { usage: 100 } }, 0)).toMatchObject({
      memoryBytes: 100,
      memoryLimitBytes: null,
    });
    expect(of({ cpu_stats: {}, memory_stats: {} }, 512)).toBeUndefined();
  });
});
