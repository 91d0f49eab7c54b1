import { counted } from '../../../lib/counted.ts';
import { number } from '../../../lib/figures.ts';
import type { TimesSummary } from './times.ts';

/** The texts of a tenant's overview in addition to `text.tenant`. */
export const overviewText = {
  unwell: {
    names: { frontend: 'site', backend: 'API' },
    stopped: (names: readonly string[]) => `The ${names.join(' and the ')} ${names.length > 1 ? 'do' : 'does'} not run`,
    silent: (names: readonly string[]) =>
      `The ${names.join(' and the ')} ${names.length > 1 ? 'do' : 'does'} not answer`,
    failing: (names: readonly string[]) =>
      `The ${names.join(' and the ')} ${names.length > 1 ? 'answer' : 'answers'} with an error`,
    proxy: 'Visitors can’t reach it through the proxy',
    database: 'The database check failed',
    certificate: 'The certificate needs attention',
    unhealthy: 'A health check failed',
    degraded: 'A health check found a problem',
    since: { unhealthy: 'Unhealthy since', degraded: 'Degraded since' },
  },
  responseTimes: 'Response times',
  oneCheck: 'One check so far. Each check adds a point.',
  checksSince: (checks: number) => `${counted(checks, 'check', 'checks')} since`,
  noTimes: 'Response times appear after the next check.',
  /** Text alternative of a chart. */
  line: (name: string, { fastest, middle, slowest, missing, checks }: TimesSummary) => {
    const unanswered = missing === 0 ? '' : `; ${missing} of ${checks} unanswered`;
    if (middle === null) return `${name}: no answer in ${counted(checks, 'check', 'checks')}`;
    return `${name}: median ${middle} ms, range ${fastest} to ${slowest} ms, ${counted(checks, 'check', 'checks')}${unanswered}`;
  },
  changes: 'Health history',
  noChanges: 'Its health has not changed yet.',
  services: 'Services',
  names: { frontend: 'Site', backend: 'API' },
  since: 'since',
  gaveUp: 'It kept exiting and is no longer restarted automatically.',
  cpu: 'CPU',
  memory: 'Memory',
  cpuOf: (percent: number) => `${number(percent, 1)} %`,
  memoryOf: (used: string, limit: string) => `${used} of ${limit}`,
  unknown: 'unknown',
  current: 'They use the current configuration.',
  pending: 'They do not use the current configuration yet. A restart is required.',
  proxy: 'Address and certificate',
  proxyState: 'Proxy status',
  proxyKind: 'Proxy',
  proxyKinds: { none: 'none', nginx: 'nginx', traefik: 'Traefik' },
  noProxy: 'No reverse proxy is configured. Visitors reach the tenant by its port.',
  proxyStates: {
    in_sync: 'In sync',
    edited: 'Changed manually',
    missing: 'Missing',
    outdated: 'Out of date',
    orphan: 'Orphaned',
    none: 'Not set up',
  },
  proxyHints: {
    edited:
      'Someone changed the proxy’s file manually. An administrator can repair it on the page System, Reverse proxy.',
    missing: 'The proxy’s file is missing, so the domains don’t lead here. A repair or a deployment restores it.',
    outdated: 'The domains or certificates have changed. The site is updated automatically within a few minutes.',
    orphan: 'The proxy has a file that belongs to no tenant.',
    none: 'The next deployment activates its domains.',
  } as Record<string, string>,
  applied: 'Applied',
  certificate: 'Certificate',
  noCertificate: 'none: the domains are served without encryption, or with another site’s certificate',
  issuer: 'Issued by',
  validUntil: 'Valid until',
  daysLeft: (days: number) => {
    if (days < 0) return 'expired';
    return counted(days, 'day left', 'days left');
  },
  expiresSoon: 'expires soon',
  certificateProblem: 'Last attempt',
  nextAttempt: 'Next attempt',
  took: 'took',
};

const runtimeNames: Record<string, string> = { docker: 'Docker', swarm: 'the swarm', systemd: 'systemd' };
export const runtimeName = (kind: string): string => runtimeNames[kind] ?? 'this manager';

export const moveText = {
  title: (from: string) => `Still on ${from}`,
  hint: (from: string, to: string) =>
    `This tenant runs on ${from}. Move it to ${to} before you deploy it: deployments and restarts don’t reach it there.`,
  move: 'Move',
  dialogTitle: (name: string, to: string) => `Move ${name} to ${to}?`,
  dialogHint:
    'Its site shows an error from the stop of the services until they run again. A failed move starts them where they were.',
  check: 'Findings of the check',
  from: 'From',
  to: 'To',
  version: 'Version',
  services: 'Services',
  running: 'running, start after the move',
  stopped: 'stopped, stay stopped',
  database: 'Database',
  noDatabase: 'none',
  stays: 'stays on the shared server',
  copied: (size: string | null) => (size === null ? 'copied' : `copied, ${size}`),
  problems: 'It can’t be moved now:',
  movedTitle: (from: string) => `Moved from ${from}`,
  movedHint: (from: string) =>
    `The stopped services and the data from before the move stay on ${from} until you remove them.`,
  remove: 'Remove leftovers',
  removeTitle: (name: string, from: string) => `Remove what ${name} left on ${from}?`,
  removeHint: 'This deletes its services, files and database there, as they were before the move.',
  removed: (name: string) => `The leftovers of ${name} are removed.`,
};
