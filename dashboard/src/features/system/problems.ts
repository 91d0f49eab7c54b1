import type { components } from '../../api/schema.ts';
import { apiText } from '../../lib/api-text.ts';
import { systemText } from './messages.ts';

export interface Problem {
  what: string;
  /** The page where to act or see more. */
  to: string;
  /** What the link to it does. */
  label: string;
  /** An error; otherwise a warning. */
  bad?: boolean;
}

type Found = components['schemas']['SystemProblem'];

export const overviewPage = '/system/overview';

const places: Record<Found['kind'], string> = {
  engine: overviewPage,
  node: '/system/nodes',
  proxy: '/system/proxy',
  disk: overviewPage,
  site: '/system/proxy?show=look',
  warning: overviewPage,
};

/** What is wrong with the manager's dependencies, and where to look. */
export const problemsOf = (found: readonly Found[]): Problem[] =>
  found.map(({ kind, severity, cause }) => ({
    what: apiText(systemText.findings, cause),
    bad: severity === 'error',
    to: places[kind],
    label: systemText.places[kind],
  }));
