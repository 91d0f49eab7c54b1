import type { Site } from '../../proxy.ts';
import { readSiteHeader } from '../../site-header.ts';
import type { Proposal } from '../config/candidate.ts';
import type { Expectation } from '../verify/proof.ts';
import type { Queued } from './batch-queue.ts';

/** One site's change on its way through a batch. */
export interface Change extends Queued, Proposal {
  /** null: removes the site. */
  site: Site | null;
  /** Of the text. */
  revision: string;
  log(line: string): void;
  /** @param changed false: it was so before */
  resolve(changed: boolean): void;
}

/** What proves the change; undefined when a file without our header is removed. */
export function expectationOf(change: Change, before: string | undefined): Expectation | undefined {
  const { slug, site, revision } = change;
  if (site) return { slug, hosts: Object.values(site.hosts), revision, served: true };
  const former = expectationOfFile(before);
  return former && { ...former, served: false };
}

/** What a site's file promises over HTTP, by its header only; undefined for a file without one. */
export function expectationOfFile(text: string | undefined): Expectation | undefined {
  const header = readSiteHeader(text ?? '');
  if (!header) return undefined;
  const hosts = Object.values(header.domains).map((domain) => ({ domain, tls: null }));
  return { slug: header.tenant.slug, hosts, revision: header.revision, served: true };
}

/** The host names a change wants. */
export const domainsOf = ({ site }: Change): string[] =>
  site ? Object.values(site.hosts).map(({ domain }) => domain.toLowerCase()) : [];
