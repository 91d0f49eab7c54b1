import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { execa } from 'execa';
import { findChromium } from '../../src/adapters/browser/screenshots.ts';
import { parseRepositoryAddress } from '../../src/adapters/git/address.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { makeSmallMachine } from '../harness/engine/small-machine.ts';
import { TokenRegistry } from '../harness/servers/token-registry.ts';

const root = join(import.meta.dirname, '..', '..');
const withEngine = join(root, 'test', 'harness', 'engine', 'with-engine.sh');
/** This machine, as the engine of `withEngine` reaches it. */
const hostAddress = '10.98.0.1';

/** The actions and output of `npm run demo -- --once` on each runtime, and of `npm run demo -- --incident`. */
describe('the demo', () => {
  let temporary: string;
  beforeEach(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'tenantry-demo-test-'));
  });
  afterEach(async () => {
    await rm(temporary, { recursive: true, force: true });
  });

  /** @param ctrlCAt the output after which Ctrl-C is pressed; without it the demo ends on its own */
  async function runDemo(
    environment: Record<string, string>,
    {
      ctrlCAt,
      options = ctrlCAt ? [] : ['--once'],
      inside = (program) => program,
    }: { ctrlCAt?: string; options?: string[]; inside?: (program: string[]) => string[] } = {},
  ): Promise<{ code: number | null; output: string }> {
    const [file = '', ...args] = inside(['node', 'scripts/bootstrap.mjs', 'scripts/demo.ts', ...options]);
    const child = spawn(file, args, {
      cwd: root,
      // A separate process group: a terminal sends the signal to all of it.
      detached: true,
      env: { ...process.env, NODE_OPTIONS: '', TMPDIR: temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let pressed = false;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        if (!ctrlCAt || pressed || !output.includes(ctrlCAt)) return;
        pressed = true;
        process.kill(-(child.pid ?? 0), 'SIGINT');
      });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  function expectReported(output: string, runtime: string): void {
    const ofDeployment = [
      'Copy files',
      'Generate environment',
      'Initialize database',
      'Create service-manager services',
    ];
    const ofUpgrade = ['Prepare', 'Stop services', 'Back up database', 'Fetch code', 'Run migrations'];
    const ofBoth = ['Install dependencies', 'Start services', 'Health check'];
    for (const step of [...ofDeployment, ...ofUpgrade, ...ofBoth]) {
      const times = ofBoth.includes(step) ? 2 : 1;
      expect([step, output.match(new RegExp(`^ *\\d+ % {2}${step}$`, 'gm'))?.length]).toEqual([step, times]);
    }
    expect(output).toMatch(/^From v1\.0\.0 to v1\.1\.0, commit [0-9a-f]{40}$/m);
    expect(output).toMatch(/^Backup: +\S+\.tar$/m);
    expect(output).toMatch(new RegExp(`^Manager ready at http://127\\.0\\.0\\.1:\\d+, runtime: ${runtime}$`, 'm'));
    expect(output).toMatch(/^good +runtime/m);
    expect(output).toMatch(/^good +data disk +\S+\/data: \d+ MiB$/m);
    expect(output.match(/→ {4}success in \d+ s/g)).toHaveLength(2);
    expect(output).toMatch(/^Uploaded supporters\.csv: 40 rows \(imp_[\w-]+\)$/m);
    expect(output).toMatch(/^ +first_name +→ first_name +\d+ %$/m);
    expect(output).toMatch(/^Checked: 40 rows fit, 0 do not, 0 have warnings$/m);
    expect(output).toMatch(/→ {4}completed: 40 imported, 0 duplicates, 0 failed$/m);
    expect(output).toMatch(/^The tenant holds 40 people now$/m);
    expect(output.match(/^Health: healthy$/gm)).toHaveLength(2);
    for (const name of ['frontend', 'backend']) {
      expect(output.match(new RegExp(`^ +${name} +\\{"status":"up"`, 'gm'))).toHaveLength(2);
    }
    expect(output).toMatch(/^ +The tenant: +http:\/\/127\.0\.0\.1:\d+\/$/m);
    expect(output).toMatch(/^ +Its API: +http:\/\/127\.0\.0\.1:\d+\/docs$/m);
    expect(output).toMatch(/^ +Tenantry's API: +http:\/\/127\.0\.0\.1:\d+\/api\/docs$/m);
    expect(output).toMatch(/^ +Sign in as: +admin \/ \S{10,}$/m);
    expect(output).toContain('The tenant is removed, the manager has ended.');
  }

  /** Processes whose command line or directory is below ours. */
  async function processesLeft(): Promise<string> {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
    return stdout
      .split('\n')
      .filter((line) => line.includes(temporary))
      .join('\n');
  }

  async function expectNothingLeft(output: string): Promise<void> {
    const ports = [...output.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)].map((match) => match[1]);
    for (const port of new Set(ports)) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    }
    expect(await processesLeft()).toBe('');
    expect(await readdir(temporary)).toEqual([]);
  }

  test('with local processes', async () => {
    const { code, output } = await runDemo({ RUNTIME: 'process' });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    expectReported(output, 'process');
    await expectNothingLeft(output);
  });

  test('stopped by Ctrl-C during a deployment', async () => {
    const { output } = await runDemo({ RUNTIME: 'process' }, { ctrlCAt: 'Install dependencies' });
    expect(output).not.toContain('success in');
    expect(output).toContain('The tenant is removed, the manager has ended.');
    await expectNothingLeft(output);
  });

  test('a night: the tenant fails, one message goes out, it is acknowledged and recovers', async () => {
    const pictures = await mkdtemp(join(tmpdir(), 'tenantry-demo-pictures-'));
    try {
      const { code, output } = await runDemo({}, { options: ['--incident', '--screenshots', pictures] });
      expect([code, code === 0 ? '' : output]).toEqual([0, '']);
      expect(output).toMatch(/^Cause: +The API runs but does not answer \(application_hangs, certain\)$/m);
      expect(output).toMatch(/^What to do: Restart the services/m);
      expect(output.match(/^Message received, its signature is valid/gm)).toHaveLength(2);
      expect(output).toMatch(/│ River Valley Campaign: The API runs but does not answer$/m);
      expect(output).toMatch(/^Incident acknowledged by admin/m);
      expect(output).toMatch(/│ Recovered after \d.*: River Valley Campaign: The API runs but does not answer$/m);
      expect(output).toMatch(/^Health: healthy$/m);
      const taken = ['charts.png', 'home.png', 'inbox.png', 'incident-open.png', 'incident-resolved.png'];
      const hasBrowser = (await findChromium(undefined)) !== undefined;
      expect((await readdir(pictures)).sort()).toEqual(hasBrowser ? taken : []);
      await expectNothingLeft(output);
    } finally {
      await rm(pictures, { recursive: true, force: true });
    }
  });

  describeWithEngine('with an engine', () => {
    const docker = new Docker();
    const owned = async () => {
      const filters = { label: ['org.tenantry.slug=river-valley'] };
      const [containers, networks, { Volumes: volumes }] = await Promise.all([
        docker.listContainers({ all: true, filters }),
        docker.listNetworks({ filters }),
        docker.listVolumes({ filters }),
      ]);
      return [
        ...containers.map(({ Names: [name] }) => name),
        ...[...networks, ...(volumes ?? [])].map(({ Name }) => Name),
      ];
    };

    /** Normally images stay for the next demo's build; here they would accumulate. */
    async function removeImages(output: string): Promise<void> {
      const { key } = parseRepositoryAddress(/, from (\S+)/.exec(output)?.[1] ?? '');
      for (const role of ['api', 'frontend']) {
        const images = await docker.listImages({ filters: { reference: [`tenantry/${role}:${key}-*`] } });
        for (const { RepoTags: [tag = ''] = [] } of images) await docker.getImage(tag).remove();
      }
    }

    test('with containers, on an engine without images whose registry asks for a token', async () => {
      const dockerd = (await execa('which', ['dockerd'])).stdout;
      const data = await mkdtemp(join('/var/tmp', 'tenantry-demo-engine-'));
      const hub = await TokenRegistry.start();
      try {
        for (const image of ['node:24-bookworm-slim', 'mariadb:11.8']) await hub.copy(image, `library/${image}`);
        const { code, output } = await runDemo(
          {
            RUNTIME: 'docker',
            ENGINE_OPTIONS: `--registry-mirror=http://${hostAddress}:${hub.port} --insecure-registry=${hostAddress}`,
          },
          { inside: (program) => [withEngine, join(dockerd, '..', '..'), 'graph', data, ...program] },
        );
        expect([code, code === 0 ? '' : output]).toEqual([0, '']);
        expectReported(output, 'docker');
        // The check of the host has pulled it before the deployment.
        expect(output).toMatch(/^good +base image +node:24-bookworm-slim$/m);
        expect(hub.requests.filter(({ path }) => path.startsWith('/token')).length).toBeGreaterThan(1);
        await expectNothingLeft(output);
      } finally {
        await hub.close();
        await rm(data, { recursive: true, force: true });
      }
    });

    test('with containers, and a manager that has 10 % of one processor', async () => {
      const before = await owned();
      const small = await makeSmallMachine(10);
      const { code, output } = await runDemo({ RUNTIME: 'docker' }, { inside: small.inside });
      await removeImages(output);
      await small.remove();
      expect([code, code === 0 ? '' : output]).toEqual([0, '']);
      expectReported(output, 'docker');
      expect(await owned()).toEqual(before);
      await expectNothingLeft(output);
    });
  });
});
