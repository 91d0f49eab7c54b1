import { counted, tenants } from '../../lib/counted.ts';
import { number } from '../../lib/figures.ts';

export const homeText = {
  title: 'Home',
  needsAttention: 'Needs attention',
  count: (count: number) => counted(count, 'item needs attention', 'items need attention'),
  quiet: 'Nothing needs attention.',
  kinds: {
    unhealthy: 'Unhealthy',
    not_running: 'Does not run',
    deployment_failed: 'Deployment failed',
    degraded: 'Degraded',
    backup_failed: 'Backup failed',
    backup_missing: 'Backup missing',
    certificate: 'Certificate',
    stopped: 'Stopped',
  },
  actions: {
    unhealthy: 'View logs',
    not_running: 'Find the cause',
    deployment_failed: 'See what failed',
    degraded: 'See the checks',
    backup_failed: 'See what failed',
    backup_missing: 'Back up',
    certificate: 'Check the site',
    stopped: 'Start',
  },
  system: 'Manager',
  more: (count: number) => `Show ${number(count)} more`,
  fleet: 'Tenants',
  figures: { running: 'running', stopped: 'stopped', error: 'with an error', pending: 'not deployed' },
  checks: 'Health checks, last two hours',
  noChecks: 'No checks yet',
  period: (at: string, checks: number, unhealthy: number) =>
    checks === 0
      ? `${at}: no checks`
      : `${at}: ${number(unhealthy)} of ${counted(checks, 'check', 'checks')} unhealthy`,
  summary: (checks: number, unhealthy: number) =>
    `${number(checks - unhealthy)} of ${counted(checks, 'check', 'checks')} without a failure`,
  versions: 'Versions',
  version: (version: string, count: number) => `${version}: ${tenants(count)}`,
  behind: (count: number, version: string) => `${tenants(count)} behind ${version}`,
  upgrade: 'Upgrade…',
  noVersion: 'no version',
  activity: 'Recent activity',
  all: 'Audit log',
  noActivity: 'Nothing yet.',
};
