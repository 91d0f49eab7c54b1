import { counted } from '../../../lib/counted.ts';
import type { TimesSummary } from './times.ts';

/** What the overview of a tenant says beyond `text.tenant`. */
export const overviewText = {
  unwell: {
    names: { frontend: 'site', backend: 'API' },
    stopped: (names: readonly string[]) => `The ${names.join(' and the ')} ${names.length > 1 ? 'do' : 'does'} not run`,
    silent: (names: readonly string[]) =>
      `The ${names.join(' and the ')} ${names.length > 1 ? 'do' : 'does'} not answer`,
    failing: (names: readonly string[]) =>
      `The ${names.join(' and the ')} ${names.length > 1 ? 'answer' : 'answers'} with an error`,
    proxy: 'Visitors can’t reach it through the proxy',
    database: 'The database does not answer as it should',
    certificate: 'The certificate needs attention',
    unhealthy: 'A health check fails',
    degraded: 'It runs, but a health check found a problem',
    since: { unhealthy: 'Unhealthy since', degraded: 'Degraded since' },
  },
  responseTimes: 'Response times',
  oneCheck: 'One check so far. Each check adds a point.',
  checksSince: (checks: number) => `${counted(checks, 'check', 'checks')} since`,
  noTimes: 'Response times show after the next check.',
  /** Read out in the place of a drawn line. */
  line: (name: string, { fastest, middle, slowest, missing, checks }: TimesSummary) => {
    const silent = missing === 0 ? '' : `; ${missing} of ${checks} without an answer`;
    if (middle === null) return `${name}: no answer in ${counted(checks, 'check', 'checks')}`;
    return `${name}: ${middle} ms in the middle, between ${fastest} and ${slowest} ms, in ${counted(checks, 'check', 'checks')}${silent}`;
  },
  changes: 'What changed',
  noChanges: 'Its health has not changed yet.',
  services: 'Services',
  names: { frontend: 'Site', backend: 'API' },
  since: 'since',
  gaveUp: 'It kept ending and is not started again by itself.',
  cpu: 'Processor',
  memory: 'Memory',
  cpuOf: (percent: number) => `${percent.toLocaleString('en', { maximumFractionDigits: 1 })} %`,
  memoryOf: (used: string, limit: string) => `${used} of ${limit}`,
  unknown: 'not known',
  current: 'They run with the present configuration.',
  pending: 'They do not have the present configuration yet: it takes a restart.',
  proxy: 'Address and certificate',
  proxyState: 'At the proxy',
  proxyKind: 'Proxy',
  proxyKinds: { none: 'none', nginx: 'nginx', traefik: 'Traefik' },
  noProxy: 'No reverse proxy is set up. Visitors reach the tenant at its port.',
  proxyStates: {
    in_sync: 'In place',
    edited: 'Edited by hand',
    missing: 'Missing',
    outdated: 'Out of date',
    orphan: 'Left over',
    none: 'Not set up',
  },
  proxyHints: {
    edited: 'Somebody changed the proxy’s file by hand. An administrator can put it right by a repair of the proxy.',
    missing:
      'The proxy’s file is gone: the domains don’t lead here. A repair of the proxy or a deployment brings it back.',
    outdated: 'The domains or the certificates were changed since. It follows by itself in a few minutes.',
    orphan: 'The proxy still has a file that belongs to no tenant.',
    none: 'The next deployment puts its domains into service.',
  } as Record<string, string>,
  applied: 'Put in place',
  certificate: 'Certificate',
  noCertificate: 'none: the domains are answered without encryption, or by another’s certificate',
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
