import type { Attention } from '../../api/queries.ts';
import { apiText } from '../../lib/api-text.ts';
import { systemText } from './messages.ts';

export interface Problem {
  what: string;
  /** The page that solves it. */
  to?: string;
  /** An error; otherwise a warning. */
  bad?: boolean;
}

type Found = Attention['system'][number];

const places: Partial<Record<Found['kind'], string>> = {
  node: '/system/nodes',
  proxy: '/system/proxy',
  site: '/system/proxy?show=look',
};

/** What is wrong with the manager's dependencies, and where to look. */
export const problemsOf = (found: readonly Found[]): Problem[] =>
  found.map(({ kind, severity, cause }) => ({
    what: apiText(systemText.findings, cause),
    bad: severity === 'error',
    ...(places[kind] ? { to: places[kind] } : {}),
  }));
