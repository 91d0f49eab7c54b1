import { isIP } from 'node:net';
import { hostNameProblem, maskCredentials, repositoryProblem } from '../tenants/tenants.ts';
import { assistantDefinitions } from './assistant-definitions.ts';
import { backupDefinitions } from './backup-definitions.ts';
import type { SettingDefinition } from './definition.ts';
import { importDefinitions } from './import-definitions.ts';

const placeholder = '{slug}';
/** Whether the manager may connect to the host is checked with each tenant: GIT_HOSTS may change. */
const anyHost = { allowLocal: true, hosts: { problemOf: () => undefined } };

/** What the form for a new tenant proposes. The API proposes nothing: it requires `domain`, and `git_repo` may be left out. */
const tenantDefinitions = {
  new_tenant_git_repo: {
    group: 'tenants',
    type: 'string',
    default: '',
    maxLength: 2_048,
    rule: (value) =>
      maskCredentials(value) === value
        ? repositoryProblem(value, anyHost)
        : 'must not contain credentials: operators see this setting',
    description: 'Git repository that the form for a new tenant proposes; empty: none',
  },
  new_tenant_domain: {
    group: 'tenants',
    type: 'string',
    default: '',
    maxLength: 253,
    rule: (value) =>
      value.split(placeholder).length === 2 && hostNameProblem(value.replace(placeholder, 'a')) === undefined
        ? undefined
        : `must be a host name that contains ${placeholder} once, like ${placeholder}.example.org`,
    description: `Domain that the form for a new tenant proposes, like ${placeholder}.example.org; empty: like the newest tenant`,
  },
} as const satisfies Record<string, SettingDefinition>;

/** All settings in display order. */
export const settingDefinitions = {
  health_check_interval: {
    group: 'health',
    type: 'integer',
    default: 60,
    min: 10,
    max: 86_400,
    unit: 'seconds',
    description: 'Interval between health checks of all tenants, in seconds',
  },
  health_check_timeout: {
    group: 'health',
    type: 'integer',
    default: 5,
    min: 1,
    max: 60,
    unit: 'seconds',
    description: 'Timeout of a health check, in seconds',
  },
  health_check_concurrency: {
    group: 'health',
    type: 'integer',
    default: 20,
    min: 1,
    max: 200,
    unit: 'tenants',
    description: 'Number of tenants checked at the same time',
  },
  synthetic_check_interval: {
    group: 'health',
    type: 'integer',
    default: 5,
    min: 0,
    max: 1_440,
    unit: 'minutes',
    description: 'Interval between the checks of a tenant with a user’s steps from tenant.yaml, in minutes; 0: never',
  },
  synthetic_checks_on_deploy: {
    group: 'health',
    type: 'boolean',
    default: true,
    description:
      'Whether a deployment or upgrade also runs the checks with a user’s steps from tenant.yaml, and is rolled back if one fails',
  },
  incident_failures: {
    group: 'health',
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    unit: 'checks',
    description: 'Number of consecutive failed health checks that open an incident',
  },
  incident_reminder_minutes: {
    group: 'health',
    type: 'integer',
    default: 60,
    min: 0,
    max: 10_080,
    unit: 'minutes',
    description:
      'Interval between reminders of an incident that is not acknowledged, in minutes; 0: no reminders. Missing backups and drills and expiring certificates are repeated at most once a day',
  },
  availability_objective: {
    group: 'health',
    type: 'number',
    default: 99.5,
    min: 50,
    max: 99.999,
    unit: '%',
    description: 'Availability that is aimed at in a calendar month, as a percentage of health checks',
  },
  deployment_concurrency: {
    group: 'deployments',
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    unit: 'deployments',
    description: 'Number of deployments that run at the same time; further deployments wait in order',
  },
  deployment_timeout: {
    group: 'deployments',
    type: 'integer',
    default: 1_800,
    min: 60,
    max: 86_400,
    unit: 'seconds',
    description: 'Timeout of each deployment step, in seconds',
  },
  base_image_max_age_hours: {
    group: 'deployments',
    type: 'integer',
    default: 24,
    min: 1,
    max: 8_760,
    unit: 'hours',
    description:
      'Age from which a base image is looked up again at its registry before a build, in hours; if the registry does not answer, the engine’s copy is used',
  },
  build_cache_gb: {
    group: 'deployments',
    type: 'integer',
    default: 10,
    min: 1,
    max: 10_000,
    unit: 'GB',
    description: 'Size of the cache of image builds that is kept on each engine, in GB',
  },
  log_retention_days: {
    group: 'manager',
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Number of days that log and audit entries are kept',
  },
  release_retention: {
    group: 'deployments',
    type: 'integer',
    default: 3,
    min: 1,
    max: 50,
    unit: 'releases',
    description: 'Number of prepared releases kept for rollbacks, in addition to the running release',
  },
  unit_memory_mb: {
    group: 'services',
    type: 'integer',
    default: 512,
    min: 64,
    max: 1_048_576,
    unit: 'MiB',
    description: 'Memory limit of each service of a tenant, in MiB; takes effect with the tenant’s next deployment',
  },
  unit_cpus: {
    group: 'services',
    type: 'number',
    default: 1,
    min: 0.05,
    max: 256,
    unit: 'cores',
    description:
      'Processor limit of each service of a tenant, in cores; takes effect with the tenant’s next deployment',
  },
  unit_pids: {
    group: 'services',
    type: 'integer',
    default: 256,
    min: 16,
    max: 65_536,
    unit: 'processes',
    description:
      'Maximum number of processes and threads of each service of a tenant; takes effect with the tenant’s next deployment',
  },
  log_retention_mb: {
    group: 'services',
    type: 'integer',
    default: 20,
    min: 1,
    max: 1_000,
    unit: 'MiB',
    description:
      'Amount of log text, in MiB, kept of each service and each of its last generations, also after its container is gone; older lines are removed first',
  },
  api_token_max_days: {
    group: 'manager',
    type: 'integer',
    default: 365,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Maximum lifetime of new API tokens, in days',
  },
  public_addresses: {
    group: 'manager',
    type: 'string',
    default: '',
    maxLength: 1_000,
    rule: (value) =>
      value.split(/[\s,]+/).every((entry) => isIP(entry) > 0 || hostNameProblem(entry) === undefined)
        ? undefined
        : 'must be IP addresses or host names, comma-separated',
    description:
      'IP addresses or host names under which the reverse proxy is reached, comma-separated; the check of host names compares with them; empty: nothing is compared',
  },
  hsts_max_age_days: {
    group: 'manager',
    type: 'integer',
    default: 0,
    min: 0,
    max: 730,
    unit: 'days',
    description:
      'Number of days for which browsers use only HTTPS for tenants’ host names (HSTS); 0: off. Takes effect with a tenant’s next deployment if it has a certificate. Browsers remember this: they can’t open the host name if the certificate is missing later',
  },
  session_idle_minutes: {
    group: 'manager',
    type: 'integer',
    default: 480,
    min: 5,
    max: 43_200,
    unit: 'minutes',
    description: 'Number of minutes of inactivity after which a session ends',
  },
  min_free_disk_mb: {
    group: 'deployments',
    type: 'integer',
    default: 512,
    min: 0,
    max: 10_485_760,
    unit: 'MiB',
    description: 'Free disk space, in MiB, required to start a deployment',
  },
  ...tenantDefinitions,
  ...backupDefinitions,
  ...importDefinitions,
  ...assistantDefinitions,
  screenshot_retention_days: {
    group: 'themes',
    type: 'integer',
    default: 90,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Number of days that screenshots of analysed websites are kept; the suggestions remain',
  },
  notification_digest_minutes: {
    group: 'notifications',
    type: 'integer',
    default: 60,
    min: 0,
    max: 1_440,
    unit: 'minutes',
    description:
      'Channels collect alerts below an error and send them as one message per this number of minutes; 0: each is sent at once',
  },
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof settingDefinitions;

/** The type of a setting's value: number, boolean or string. */
export type SettingValue<Key extends SettingKey> = (typeof settingDefinitions)[Key]['type'] extends infer Type
  ? Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : string
  : never;

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingDefinitions, key);
