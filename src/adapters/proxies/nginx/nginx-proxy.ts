import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { removeCutOffWrites, writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { chmod, mkdir } from '../../../lib/files/changes.ts';
import { CertificateFiles } from '../certificate-files.ts';
import { probeThroughProxy, sendThroughProxy } from '../external-probe.ts';
import type { ReverseProxy } from '../proxy.ts';
import { SiteFiles } from '../site-files.ts';
import { runBatch } from './apply/batch.ts';
import { BatchQueue } from './apply/batch-queue.ts';
import type { Change } from './apply/change.ts';
import { clearCandidates } from './config/candidate.ts';
import { challengeFiles } from './config/challenge-files.ts';
import { CommonFiles } from './config/common-files.ts';
import { mainConfigText, readMainConfig } from './config/main-config.ts';
import { renderSite } from './config/site-config.ts';
import { complaints, NginxProgram } from './nginx-program.ts';
import { type Layout, layoutOf, type NginxProxyOptions } from './options.ts';
import { watchErrorLog } from './verify/error-log.ts';
import { Proof } from './verify/proof.ts';

const defaultProofTimeoutMs = 15_000;

/**
 * nginx, as a local program, in a container, or on several hosts that share the directory: one file per tenant, tested by nginx as a candidate
 * before it replaces anything, swapped in, reloaded, verified through the proxy, and rolled back if that fails.
 * @throws for options that cannot be in a configuration
 */
export function createNginxProxy(options: NginxProxyOptions): ReverseProxy {
  const layout = layoutOf(options);
  const { logger } = options;
  const program = new NginxProgram(options, layout);
  const tools = {
    layout,
    program,
    files: new SiteFiles(layout, (site) => renderSite(layout, site)),
    common: new CommonFiles(layout, program),
    certificates: new CertificateFiles(layout),
    proof: new Proof(options),
    proofTimeoutMs: () => (options.proofTimeoutMs ?? defaultProofTimeoutMs) + 4 * program.readingMs,
    logger,
  };
  const { files, common, certificates, proof } = tools;
  const queue = new BatchQueue<Change>((batch) => runBatch(tools, batch));

  const enqueue = (change: Pick<Change, 'slug' | 'text' | 'site' | 'revision' | 'signal' | 'log'>): Promise<boolean> =>
    new Promise((resolve, reject) => queue.add({ ...change, key: change.slug, resolve, reject }));

  async function reload(): Promise<void> {
    const main = await readMainConfig(layout);
    const { revision, answer } = await common.ensure(main, { test: true });
    const { valid, output } = answer ?? (await program.test());
    if (!valid) throw new Error(`nginx refused the configuration, it was not reloaded: ${complaints(output)}`);
    const errorLog = await watchErrorLog(main.errorLog);
    await program.reload();
    const failure = await proof.proveOwn(revision, tools.proofTimeoutMs());
    if (failure === undefined) return;
    throw new Error([`nginx did not apply the configuration: ${failure}`, ...(await errorLog.since())].join('\n'));
  }

  /** A running nginx loads the common files now; otherwise it will when it starts. */
  async function prepareNginx(): Promise<void> {
    const { revision } = await common.ensure(await readMainConfig(layout), { test: true });
    const own = await proof.ownRevision();
    if (!('revision' in own) || own.revision !== revision) await reload();
  }

  return {
    kind: 'nginx',
    hasFrontProxies: layout.frontProxies.length > 0,
    async open() {
      await makeDirectories(layout);
      await clearCandidates(layout);
      await clearCutOffWrites(layout);
      await writeMainConfigOnce(layout);
      await queue
        .exclusive(prepareNginx)
        .catch((error: unknown) => logger.warn({ reason: messageOf(error) }, 'nginx is not ready'));
    },
    close: () => queue.close(),
    async availability() {
      try {
        const version = await program.version();
        await readMainConfig(layout);
        if (common.problem !== undefined) return { available: false, reason: common.problem };
        const own = await proof.ownRevision();
        if ('revision' in own) return { available: true, version };
        const where = `${options.address}:${options.httpPort}`;
        return { available: false, reason: `nginx ${version} does not answer at ${where}: ${own.failure}` };
      } catch (error) {
        return { available: false, reason: messageOf(error) };
      }
    },
    render(site) {
      const { path, text } = renderSite(layout, site);
      return { path, text };
    },
    async apply(site, work) {
      const { text, revision } = renderSite(layout, site);
      return { changed: await enqueue({ slug: site.tenant.slug, text, revision, site, ...only(work) }) };
    },
    async remove({ slug }, work) {
      return { removed: await enqueue({ slug, text: null, revision: '', site: null, ...only(work) }) };
    },
    putCertificate: ({ slug }, certificate) => certificates.put(slug, certificate),
    state: (site) => files.state(site),
    found: () => files.found(),
    test: () => program.test(),
    reload: () => queue.exclusive(reload),
    probe: (host, path, probing) => probeThroughProxy(options, host, path, probing),
    send: (host, request) => sendThroughProxy(options, host, request),
    challenges: challengeFiles(layout, options),
  };
}

const only = ({ log, signal }: { log(line: string): void; signal: AbortSignal }): Pick<Change, 'log' | 'signal'> => ({
  log: (line) => log(line),
  signal,
});

/** nginx's workers, another user, read the challenges; certificates are only for its master process. */
async function makeDirectories(layout: Layout): Promise<void> {
  for (const [path, mode] of [
    [layout.directory, 0o755],
    [layout.sites, 0o755],
    [layout.common, 0o755],
    [layout.challenges, 0o755],
    [layout.certificates, 0o700],
  ] as const) {
    await mkdir(path, { recursive: true, mode });
    await chmod(path, mode);
  }
}

/**
 * Removes temporary files that a crash left of sites, common files, challenges, a tenant's certificates, and the main
 * configuration.
 */
async function clearCutOffWrites(layout: Layout): Promise<void> {
  await removeCutOffWrites(layout.directory, { depth: 2 });
  await removeCutOffWrites(dirname(layout.mainConfig), { of: (name) => name === basename(layout.mainConfig) });
}

async function writeMainConfigOnce(layout: Layout): Promise<void> {
  try {
    await readFile(layout.mainConfig);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await writeFileAtomic(layout.mainConfig, mainConfigText(layout), 0o644);
  }
}
