import type { ApiTexts } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { causeText } from '../diagnosis/messages.ts';
import { es, esMove } from './messages.es.ts';
import type { TimesSummary } from './times.ts';

const runtimes: Record<string, string> = { docker: 'Docker', swarm: 'the swarm', systemd: 'systemd' };

const en = {
  unwell: {
    names: { frontend: 'site', backend: 'API' },
    stopped: (names: readonly string[]) =>
      format('The {names} {count, plural, one {does} other {do}} not run', {
        names: names.join(' and the '),
        count: names.length,
      }),
    silent: (names: readonly string[]) =>
      format('The {names} {count, plural, one {does} other {do}} not answer', {
        names: names.join(' and the '),
        count: names.length,
      }),
    failing: (names: readonly string[]) =>
      format('The {names} {count, plural, one {answers} other {answer}} with an error', {
        names: names.join(' and the '),
        count: names.length,
      }),
    proxy: 'Visitors can’t reach it through the proxy',
    database: 'The database check failed',
    certificate: 'The certificate needs attention',
    synthetic: 'It answers, but a user’s steps fail',
    unhealthy: 'A health check failed',
    degraded: 'A health check found a problem',
    since: { unhealthy: 'Unhealthy since', degraded: 'Degraded since' },
  },
  responseTimes: 'Response times',
  oneCheck: 'One check so far. Each check adds a point.',
  checksSince: (checks: number) => format('{checks, plural, one {# check} other {# checks}} since', { checks }),
  noTimes: 'Response times appear after the next check.',
  /** Text alternative of a chart. */
  line: (name: string, { fastest, middle, slowest, missing, checks }: TimesSummary) => {
    if (middle === null)
      return format('{name}: no answer in {checks, plural, one {# check} other {# checks}}', { name, checks });
    return format(
      '{name}: median {middle, number} ms, range {fastest, number} to {slowest, number} ms, {checks, plural, one {# check} other {# checks}}{missing, plural, =0 {} other {; # of {checks, number} unanswered}}',
      { name, middle, fastest: fastest ?? middle, slowest: slowest ?? middle, checks, missing },
    );
  },
  changes: 'Health history',
  noChanges: 'Its health has not changed yet.',
  /** The audit log's words, for `apiText`. */
  healthChanges: {} as ApiTexts,
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
  daysLeft: (days: number) =>
    days < 0 ? 'expired' : format('{days, plural, one {# day left} other {# days left}}', { days }),
  expiresSoon: 'expires soon',
  certificateProblem: 'Last attempt',
  nextAttempt: 'Next attempt',
  took: 'took',
  danger: {
    title: 'Danger zone',
    stop: 'Stop the services',
    stopHint: 'Visitors see an error page until they are started again. Data is kept.',
    stopNow: 'Stop…',
    remove: 'Delete this tenant',
    removeHint: 'Its services, site and settings are removed; its files and database only if you say so.',
    removeNow: 'Delete…',
  },
  synthetic: {
    title: 'User steps',
    run: 'Run now',
    running: 'Running…',
    passed: 'All steps passed',
    states: { passed: 'Passed', failed: 'Failed', skipped: 'Skipped' },
    proxied: 'through the proxy',
    cleanup: '(cleanup)',
    stepsOf: (name: string) => `Steps of ${name}`,
    lastRun: 'Last run',
    never: 'Not run yet',
    interval: (minutes: number) => format('{minutes, plural, one {every minute} other {every # minutes}}', { minutes }),
    off: 'not repeated',
    onDeploy: 'part of each deployment',
  },
  /** Where tenants run. */
  runtime: (kind: string) => runtimes[kind] ?? 'this manager',
};

const enMove = {
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

/** The texts of a tenant's overview in addition to `text.tenant`. */
export const overviewText = translated({ en, es });
export const moveText = translated({ en: enMove, es: esMove });

/** A change of health as the manager puts it, with its reasons, in the user's language. */
export const healthChange = (text: string): string => causeText(text, overviewText.healthChanges);
