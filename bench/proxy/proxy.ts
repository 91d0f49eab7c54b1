import { setTimeout as sleep } from 'node:timers/promises';
import { createSelfSigned } from '../../src/adapters/certificates/self-signed.ts';
import type { ReverseProxy, Site } from '../../src/adapters/proxies/proxy.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writeFileAtomic } from '../../src/lib/files/atomic-file.ts';
import { alternate, type Findings, figures, type Pair, ratiosOf, run, type Stage, spread } from '../harness/harness.ts';
import { type BenchNginx, startNginx } from './nginx.ts';

const tenants = 1_000;
const rounds = 7;
const renderings = 5;
const atMost = 1.5;
const revisionPath = '/.well-known/tenantry/revision';

/** nginx with the sites of 1,000 tenants: render, apply all, and change one of them, against nginx by hand. */
export async function benchProxy(stage: Stage): Promise<Findings | { skipped: string }> {
  const nginx = await startNginx(stage);
  if (!nginx) return { skipped: 'no nginx on this machine (Debian: apt-get install nginx)' };
  const { proxy } = nginx;

  stage.say(`creating ${tenants} certificates`);
  const sites = await makeSites(proxy);
  const rendering = await timesOf(renderings, async () => {
    for (const site of sites) proxy.render(site);
  });

  const before = nginx.counts();
  const applying = await timeOf(() => Promise.all(sites.map((site) => proxy.apply(site, work()))));
  const after = nginx.counts();
  stage.say(`applied in ${applying.toFixed(0)} ms`);
  const unchanged = await timeOf(() => Promise.all(sites.map((site) => proxy.apply(site, work()))));

  const reloads = await alternate(
    { rounds },
    { ours: () => timeOf(() => proxy.reload()), peer: () => timeOf(() => reloadByHand(nginx)) },
    (round, pair) => say(stage, 'reload', round, pair),
  );

  // Each change gives one site another port. By hand, the file is written and nginx is polled until it serves the new revision.
  const [one] = sites;
  if (!one) throw new Error('no sites');
  let port = 20_000;
  const changed = (): Site => {
    port += 1;
    const { frontend, api } = one.hosts;
    return { ...one, hosts: { frontend: { ...frontend, upstream: { host: '127.0.0.1', port } }, api } };
  };
  const changes = await alternate(
    { rounds },
    {
      ours: () => timeOf(() => proxy.apply(changed(), work())),
      peer: () => timeOf(() => changeByHand(nginx, changed())),
    },
    (round, pair) => say(stage, 'change', round, pair),
  );

  return {
    verdicts: [
      { what: 'a verified reload / nginx -t && nginx -s reload', ratios: ratiosOf(reloads), limit: { atMost } },
      {
        what: 'a verified change of one site / by hand until it is served',
        ratios: ratiosOf(changes),
        limit: { atMost },
      },
    ],
    lines: [
      `${tenants} tenants, ${2 * tenants} host names over HTTP and TLS (${4 * tenants} servers, ${tenants} certificates)`,
      `rendering all: ${spread(rendering, 'ms')}`,
      `applying all at once, each verified over HTTP and TLS: ${(applying / 1000).toFixed(1)} s with ${after.tests - before.tests} tests and ${after.reloads - before.reloads} reloads`,
      `applying all again, nothing changed: ${(unchanged / 1000).toFixed(1)} s`,
      'a reload (by hand it ends when the signal is sent, here when the new workers serve)',
      ...figures(reloads, 'by hand', 'ms', 0),
      'a change (by hand: write, test, reload, poll until it is served; an invalid change would replace the valid one)',
      ...figures(changes, 'by hand', 'ms', 0),
    ],
  };
}

async function makeSites(proxy: ReverseProxy): Promise<Site[]> {
  const authority = createSelfSigned({ clock: systemClock });
  const sites: Site[] = [];
  for (let index = 0; index < tenants; index += 1) {
    const slug = `tenant-n${index}`;
    const tenant = { id: `id-${index}`, slug };
    const [certificate] = await authority.obtain([`${slug}.example`, `api.${slug}.example`], work());
    if (!certificate) throw new Error('no certificate was created');
    await proxy.putCertificate(tenant, certificate);
    const tls = { kind: 'certificate', fingerprint: certificate.fingerprint } as const;
    const upstream = { host: '127.0.0.1', port: 10_000 + index };
    sites.push({
      tenant,
      hosts: {
        frontend: { domain: `${slug}.example`, upstream, tls },
        api: { domain: `api.${slug}.example`, upstream, tls },
      },
      hstsSeconds: 0,
    });
  }
  return sites;
}

async function reloadByHand({ mainConfig }: BenchNginx): Promise<void> {
  await run('nginx', ['-t', '-c', mainConfig]);
  await run('nginx', ['-s', 'reload', '-c', mainConfig]);
}

async function changeByHand(nginx: BenchNginx, site: Site): Promise<void> {
  const { path, text } = nginx.proxy.render(site);
  const revision = /^# revision (\S+)$/m.exec(text)?.[1];
  await writeFileAtomic(path, text, 0o644);
  await reloadByHand(nginx);
  while ((await nginx.get(site.hosts.frontend.domain, revisionPath)) !== revision) await sleep(10);
}

const work = (): { log(line: string): void; signal: AbortSignal } => ({
  log: () => undefined,
  signal: new AbortController().signal,
});

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

async function timesOf(count: number, action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await timeOf(action));
  return times;
}

const say = (stage: Stage, what: string, round: number, { ours, peer }: Pair<number>): void =>
  stage.say(`${what} ${round}: ${ours.toFixed(0)} ms, by hand ${peer.toFixed(0)} ms`);
