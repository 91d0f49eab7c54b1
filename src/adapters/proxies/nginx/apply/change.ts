import type { Site } from '../../proxy.ts';
import { type Expectation, expectationOfFile } from '../../site-header.ts';
import type { Proposal } from '../config/candidate.ts';
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
  const { site, revision } = change;
  if (site) return { tenant: site.tenant, hosts: Object.values(site.hosts), revision, served: true };
  const former = expectationOfFile(before);
  return former && { ...former, served: false };
}

/** The host names a change wants. */
export const domainsOf = ({ site }: Change): string[] =>
  site ? Object.values(site.hosts).map(({ domain }) => domain.toLowerCase()) : [];
