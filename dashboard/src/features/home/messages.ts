import type { Tenant } from '../../api/client.ts';
import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Home',
  needsAttention: 'Needs attention',
  count: (count: number) =>
    format('{count, plural, one {# item needs attention} other {# items need attention}}', { count }),
  quiet: 'Nothing needs attention.',
  kinds: {
    data_missing: 'Data gone',
    unhealthy: 'Unhealthy',
    not_running: 'Does not run',
    deployment_failed: 'Deployment failed',
    dns_missing: 'Host name',
    dns_elsewhere: 'Host name',
    redirects_to_itself: 'Redirects',
    api_key_refused: 'API key',
    degraded: 'Degraded',
    backup_failed: 'Backup failed',
    backup_missing: 'Backup missing',
    certificate: 'Certificate',
    stopped: 'Stopped',
  },
  actions: {
    data_missing: 'See the backups',
    unhealthy: 'View logs',
    not_running: 'Find the cause',
    deployment_failed: 'See what failed',
    dns_missing: 'See the cause',
    dns_elsewhere: 'See the cause',
    redirects_to_itself: 'See the cause',
    api_key_refused: 'See the cause',
    degraded: 'See the checks',
    backup_failed: 'See what failed',
    backup_missing: 'Back up',
    certificate: 'Check the site',
    stopped: 'Start',
  },
  /** Instead of an action that only operators may take. */
  look: 'Show details',
  system: 'Manager',
  more: (count: number) => `Show ${number(count)} more`,
  fleet: 'Tenants',
  /** After the number of tenants. */
  figures: {
    running: () => 'running',
    stopped: () => 'stopped',
    error: () => 'with an error',
    pending: () => 'not deployed',
  } as Record<Tenant['status'], (count: number) => string>,
  checks: 'Health checks, last two hours',
  noChecks: 'No checks yet',
  period: (at: string, checks: number, unhealthy: number) =>
    format(
      '{at}: {checks, plural, =0 {no checks} one {{unhealthy, number} of # check unhealthy} other {{unhealthy, number} of # checks unhealthy}}',
      { at, checks, unhealthy },
    ),
  summary: (checks: number, unhealthy: number) =>
    format('{good, number} of {checks, plural, one {# check} other {# checks}} without a failure', {
      good: checks - unhealthy,
      checks,
    }),
  versions: 'Versions',
  version: (version: string, count: number) =>
    format('{version}: {count, plural, one {# tenant} other {# tenants}}', { version, count }),
  behind: (count: number, version: string | null) =>
    version === null
      ? format('{count, plural, one {# tenant is} other {# tenants are}} behind the newest release.', { count })
      : format('{count, plural, one {# tenant is} other {# tenants are}} behind {version}.', { count, version }),
  upgrade: 'Upgrade…',
  activity: 'Recent activity',
  all: 'Audit log',
  noActivity: 'Nothing yet.',
};

/** The texts of the home page. */
export const homeText = translated({ en, es });
