import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { CertificateFiles } from '../certificate-files.ts';
import type { Site, SiteOwner } from '../proxy.ts';
import { type SiteFiles, sitePath, storageError } from '../site-files.ts';
import { type Expectation, expectationOfFile } from '../site-header.ts';
import { findingsOf, type Inspection } from './inspection.ts';
import type { Layout } from './options.ts';
import { parseFile } from './parse-file.ts';
import type { Proof, ProofState, TraefikExpectation } from './proof.ts';
import { elementsOf, renderSite } from './site-config.ts';

interface ChangeTools {
  layout: Layout;
  files: SiteFiles;
  certificates: CertificateFiles;
  inspection: Inspection;
  proof: Proof;
  proofTimeoutMs: number;
  logger: Logger;
}

/**
 * Changes of sites' files. Traefik watches the directory and loads changes itself, several at once; so the changes of one site,
 * and all work in the directory, run one after the other, but many sites wait for Traefik together.
 */
export class SiteChanges {
  readonly #tools: ChangeTools;
  readonly #sites = new KeyedLock();
  readonly #directory = new KeyedLock();

  constructor(tools: ChangeTools) {
    this.#tools = tools;
  }

  /** @throws the signal's reason, before anything is changed; afterwards a change is completed */
  apply(site: Site, work: Work): Promise<boolean> {
    const { layout, files, certificates } = this.#tools;
    const { text, revision } = renderSite(layout, site);
    const { tenant } = site;
    const hosts = Object.values(site.hosts);
    const expectation = { tenant, hosts, elements: elementsOf(site), revision, served: true };
    return this.#sites.run(tenant.slug, async () => {
      work.signal.throwIfAborted();
      const before = await files.read(tenant.slug);
      const former = await files.readFormer(tenant.slug);
      const changed = before !== text || former !== undefined;
      if (changed) {
        await this.#write(tenant.slug, text, work.signal);
        work.log('The configuration is written; Traefik loads it automatically');
      }
      await this.#prove(expectation, changed ? (former ?? before ?? '') : undefined, work);
      await files.settle(tenant.slug);
      await certificates.prune(site);
      return changed;
    });
  }

  remove({ slug }: SiteOwner, work: Work): Promise<boolean> {
    const { files, certificates } = this.#tools;
    return this.#sites.run(slug, async () => {
      work.signal.throwIfAborted();
      const before = (await files.read(slug)) ?? (await files.readFormer(slug));
      if (before !== undefined) {
        await this.#write(slug, null, work.signal);
        const expectation = expectationOfFile(before);
        if (expectation) await this.#prove({ ...expectation, served: false }, before, work);
        await files.settle(slug);
      }
      await certificates.removeAll(slug);
      return before !== undefined;
    });
  }

  /** Checks all files with this one among them, and only then installs it (null: removes it). */
  #write(slug: string, text: string | null, signal: AbortSignal): Promise<void> {
    const { layout, files, inspection } = this.#tools;
    return this.#directory.run('', async () => {
      const path = sitePath(layout, slug);
      const others = (await inspection.files()).filter((file) => file.path !== path);
      const candidate = text === null ? others : [...others, parseFile(path, text)];
      const obstacles = (await findingsOf(candidate)).filter(
        ({ blocksAll, paths }) => blocksAll || paths.includes(path),
      );
      signal.throwIfAborted();
      if (obstacles.length > 0) {
        const reasons = obstacles.map((obstacle) => obstacle.text).join('\n');
        throw new Error(`Traefik would not accept the configuration, nothing was changed: ${reasons}`);
      }
      await files.swap(slug, text).catch((error: unknown) => {
        throw storageError(error, 'The configuration');
      });
    });
  }

  /** @param former the former file, empty for none; undefined: nothing was changed that could be restored */
  async #prove(expectation: TraefikExpectation, former: string | undefined, work: Work): Promise<void> {
    const { proof, proofTimeoutMs } = this.#tools;
    if (!proof.possible) {
      work.log('Whether Traefik has loaded it is unknown: neither its API nor its address is configured');
      return;
    }
    const standing = await proof.settle(expectation, proofTimeoutMs);
    if (standing.is === 'met') return work.log('Traefik runs it as configured');
    const failure = await this.#failureOf(standing, former !== undefined);
    if (former !== undefined) await this.#restore(expectation, former, standing);
    throw failure;
  }

  async #restore({ tenant: { slug } }: Expectation, former: string, standing: ProofState): Promise<void> {
    const { files, proof, proofTimeoutMs, logger } = this.#tools;
    await this.#directory.run('', () => files.restore(slug));
    const expectation = expectationOfFile(former);
    if (!expectation || standing.is === 'unavailable') return;
    const again = await proof.settle(expectation, proofTimeoutMs);
    if (again.is !== 'met') logger.error({ slug, reason: again.reason }, 'a restored site is not served');
  }

  async #failureOf(standing: Exclude<ProofState, { is: 'met' }>, restored: boolean): Promise<Error> {
    const { layout, inspection, proofTimeoutMs } = this.#tools;
    const end = restored ? ', the former one was restored' : '';
    switch (standing.is) {
      case 'unavailable':
        return new AppError(
          'proxy_unavailable',
          `${standing.reason}${restored ? '. The former file was restored' : ''}`,
        );
      case 'refused':
        return new Error(`Traefik refused the configuration${end}: ${standing.reason}`);
      case 'waiting': {
        const findings = await findingsOf(await inspection.files());
        const within = `within ${proofTimeoutMs / 1000} s`;
        const lines = [
          `Traefik did not load the configuration ${within}${end}: ${standing.reason}. Does it watch ${layout.sites}?`,
          ...findings.map(({ text }) => text),
        ];
        return new Error(lines.join('\n'));
      }
      default:
        return standing.is satisfies never;
    }
  }
}
