import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ContainerTaskSpec } from 'dockerode';
import { execa } from 'execa';
import type { UnitSpec } from '../../../../src/adapters/runtimes/runtime.ts';
import { environmentScript } from '../../../../src/adapters/runtimes/swarm/units/environment-script.ts';
import { digestOf, planCommand, planUnit } from '../../../../src/adapters/runtimes/swarm/units/service-plan.ts';

const spec: UnitSpec & { generation: string } = {
  generation: '0badcafe',
  tenant: { id: 'tenant-1', slug: 'acme', directory: '/nowhere' },
  role: 'api',
  release: { key: 'app-c0ffee', commit: 'c0ffee', checkout: '/nowhere' },
  definition: { port: 8000, health: '/health' },
  environment: { DB_PASSWORD: 'hunter2' },
  hostPort: 32_301,
  limits: { memoryMb: 256, cpus: 2, pids: 100 },
};
const image = {
  ...{ reference: 'registry:5000/api@sha256:1', entrypoint: ['/entry'], command: ['serve', '--all'] },
  ...{
    hasHealthCheck: false,
    labels: { 'traefik.enable': 'true' },
    platform: { Architecture: 'amd64', OS: 'linux' },
    owner: { uid: 1000, gid: 1001 },
  },
};
const secret = { id: 'secret-id', name: 'acme-1', file: 'environment' };
const facts = {
  ...{ instance: 'i', storage: '/srv/tenantry', importRoot: '/tmp/imports' },
  restarts: { limit: 10, windowMs: 600_000, delayMs: 2_000 },
};
const containerOf = ({ TaskTemplate: template }: ReturnType<typeof planUnit>) =>
  (template as ContainerTaskSpec).ContainerSpec;

test('a unit is confined, limited and bound to its storage and its port, and holds no secret in its specification', () => {
  const planned = planUnit(spec, image, secret, facts);
  expect(JSON.stringify(planned)).not.toContain('hunter2');
  expect(planned).toMatchObject({
    Mode: { Replicated: { Replicas: 0 } },
    EndpointSpec: {
      Mode: 'dnsrr',
      Ports: [{ Protocol: 'tcp', TargetPort: 8000, PublishedPort: 32_301, PublishMode: 'host' }],
    },
    UpdateConfig: { Order: 'stop-first', Parallelism: 1, FailureAction: 'pause' },
    TaskTemplate: {
      ContainerSpec: {
        Image: 'registry:5000/api@sha256:1',
        Command: ['/bin/sh', '/run/secrets/environment', '/entry', 'serve', '--all'],
        Env: ['PORT=8000', 'HOST=0.0.0.0'],
        CapabilityDrop: ['ALL'],
        Init: true,
        StopGracePeriod: 10e9,
        Mounts: [
          { Type: 'bind', Source: '/srv/tenantry/acme/data', Target: '/data' },
          { Type: 'bind', Source: '/srv/tenantry/acme/imports', Target: '/tmp/imports/acme' },
        ],
        Secrets: [{ SecretID: 'secret-id', File: { Name: 'environment', UID: '1000', GID: '1001', Mode: 0o400 } }],
      },
      Networks: [{ Target: 'swarm-tenantry-acme', Aliases: ['acme-api'] }],
      Placement: {
        ...{ Constraints: ['node.labels.org.tenantry.storage==ok'], MaxReplicas: 1 },
        Platforms: [{ Architecture: 'amd64', OS: 'linux' }],
      },
      Resources: {
        Limits: { MemoryBytes: 256 * 1024 ** 2, NanoCPUs: 2e9, Pids: 100 },
        Reservations: { MemoryBytes: 128 * 1024 ** 2, NanoCPUs: 0.04e9 },
      },
      RestartPolicy: { Condition: 'any', MaxAttempts: 10, Window: 600e9, Delay: 2e9 },
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m' } },
    },
  });
  // What a task and its container belong to is known without their service.
  expect(containerOf(planned)?.Labels).toMatchObject({
    'org.tenantry.tenant': 'tenant-1',
    'org.tenantry.role': 'api',
    'org.tenantry.generation': '0badcafe',
    'org.tenantry.commit': 'c0ffee',
  });
  const { Monitor: monitor = 0 } = planned.UpdateConfig ?? {};
  expect(monitor).toBeGreaterThanOrEqual(containerOf(planned)?.HealthCheck?.StartPeriod ?? 0);
});

test('a command of a job runs once, without a port, a name or an update', () => {
  const planned = planCommand(spec, 'migrate && true', image, secret, facts);
  expect(planned).toMatchObject({
    Mode: { Replicated: { Replicas: 1 } },
    TaskTemplate: {
      RestartPolicy: { Condition: 'none' },
      ContainerSpec: { Command: ['/bin/sh', '/run/secrets/environment', '/bin/sh', '-c', 'migrate && true'] },
      Networks: [{ Target: 'swarm-tenantry-acme' }],
    },
  });
  expect([planned.UpdateConfig, planned.EndpointSpec?.Ports]).toEqual([undefined, undefined]);
});

test('equal specifications have equal digests; whatever a unit can notice changes them', () => {
  const digest = digestOf(spec, facts);
  expect(digestOf({ ...spec, environment: { ...spec.environment } }, facts)).toBe(digest);
  const changes: Partial<UnitSpec>[] = [
    { environment: { DB_PASSWORD: 'other' } },
    { hostPort: 32_302 },
    { limits: { ...spec.limits, memoryMb: 512 } },
    { release: { ...spec.release, key: 'app-2' } },
    { definition: { port: 8001, health: '/health' } },
    { definition: { port: 8000, health: '/other' } },
  ];
  const digests = changes.map((change) => digestOf({ ...spec, ...change }, facts));
  expect(new Set([digest, ...digests]).size).toBe(changes.length + 1);
});

test('the environment’s script passes on every value byte by byte, and becomes the program', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-script-'));
  const environment = {
    QUOTES: `'single' "double" \\ \\n '\\''`,
    LINES: 'first\nsecond\r\n\tthird\n',
    SHELL_TEXT: '$(exit 1) `exit 1` ; exit 1 #',
    UNICODE: 'Ünïcödé 日本 🚀 \u0081\u0088',
    EMPTY: '',
  };
  const file = join(directory, 'environment');
  await writeFile(file, environmentScript(environment));
  const program = [process.execPath, '-e', 'console.log(JSON.stringify([process.env, process.argv.slice(1)]))', 'a b'];
  const { stdout } = await execa('/bin/sh', [file, ...program]);
  const [found, argv] = JSON.parse(stdout);
  expect(found).toMatchObject(environment);
  expect(argv).toEqual(['a b']);
  expect(() => environmentScript({ 'A;exit': '1' })).toThrow('A;exit');
  await rm(directory, { recursive: true });
});

test('an image’s own health check counts; without a health path there is none', () => {
  expect(containerOf(planUnit(spec, { ...image, hasHealthCheck: true }, secret, facts))?.HealthCheck).toBeUndefined();
  const without = { ...spec, definition: { port: 8000 } };
  expect(containerOf(planUnit(without, image, secret, facts))?.HealthCheck).toBeUndefined();
});

const tools = ['curl', 'wget', 'node', 'python3'].filter(
  (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0,
);
test.each([...tools, 'nothing'])('the health check works with %s', async (tool) => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-tools-'));
  const link = async (name: string) => {
    // Not the wrapper of a version manager, which needs other programs.
    const ask = name === 'python3' ? `python3 -c 'import sys; print(sys.executable)'` : `command -v ${name}`;
    const { stdout } = await execa('sh', ['-c', ask]);
    await symlink(name === 'node' ? process.execPath : stdout, join(directory, name));
  };
  if (tool !== 'nothing') await link(tool);
  // `fetch` refuses this port.
  const port = 10_080;
  const server = createServer((_, response) => response.writeHead(503).end()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const check = async (at: number): Promise<number | undefined> => {
    const planned = planUnit({ ...spec, definition: { port: at, health: '/health' } }, image, secret, facts);
    const [, file = '', ...args] = containerOf(planned)?.HealthCheck?.Test ?? [];
    const ended = await execa(file, args, { env: { PATH: directory }, extendEnv: false, reject: false });
    return ended.exitCode;
  };
  // An error page is an answer: the manager's own probe decides about health.
  const open = await check(port);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect([open, await check(port)]).toEqual([0, tool === 'nothing' ? 0 : 1]);
  await rm(directory, { recursive: true });
});
