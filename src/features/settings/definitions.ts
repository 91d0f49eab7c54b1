import { assistantDefinitions } from './assistant-definitions.ts';
import { backupDefinitions } from './backup-definitions.ts';
import type { SettingDefinition } from './definition.ts';
import { importDefinitions } from './import-definitions.ts';

/** Every setting there is, in the order they are listed. */
export const settingDefinitions = {
  health_check_interval: {
    group: 'health',
    type: 'integer',
    default: 60,
    min: 10,
    max: 86_400,
    unit: 'seconds',
    description: 'Seconds between two health checks of all tenants',
  },
  health_check_timeout: {
    group: 'health',
    type: 'integer',
    default: 5,
    min: 1,
    max: 60,
    unit: 'seconds',
    description: 'Seconds a tenant has to answer a health check',
  },
  health_check_concurrency: {
    group: 'health',
    type: 'integer',
    default: 20,
    min: 1,
    max: 200,
    unit: 'tenants',
    description: 'Tenants checked at the same time',
  },
  deployment_concurrency: {
    group: 'deployments',
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    unit: 'deployments',
    description: 'Deployments that run at the same time; further ones wait in order',
  },
  deployment_timeout: {
    group: 'deployments',
    type: 'integer',
    default: 1_800,
    min: 60,
    max: 86_400,
    unit: 'seconds',
    description: 'Seconds after which a step of a deployment is ended as failed',
  },
  log_retention_days: {
    group: 'manager',
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Days that log and audit entries are kept',
  },
  release_retention: {
    group: 'deployments',
    type: 'integer',
    default: 3,
    min: 1,
    max: 50,
    unit: 'releases',
    description: 'Prepared releases kept for going back, beside those that run',
  },
  unit_memory_mb: {
    group: 'services',
    type: 'integer',
    default: 512,
    min: 64,
    max: 1_048_576,
    unit: 'MiB',
    description: 'Memory limit of each service of a tenant, in MiB; counts from its next deployment',
  },
  unit_cpus: {
    group: 'services',
    type: 'number',
    default: 1,
    min: 0.05,
    max: 256,
    unit: 'cores',
    description: 'Processor limit of each service of a tenant, in cores; counts from its next deployment',
  },
  unit_pids: {
    group: 'services',
    type: 'integer',
    default: 256,
    min: 16,
    max: 65_536,
    unit: 'processes',
    description: 'Processes and threads that each service of a tenant may have; counts from its next deployment',
  },
  api_token_max_days: {
    group: 'manager',
    type: 'integer',
    default: 365,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Days after which an API token ends at the latest; applies to tokens created from now on',
  },
  hsts_max_age_days: {
    group: 'manager',
    type: 'integer',
    default: 0,
    min: 0,
    max: 730,
    unit: 'days',
    description:
      'Days for which browsers are told to use HTTPS alone for tenants’ host names; 0: they are not told. Counts where there is a certificate, from a tenant’s next deployment. Browsers keep to it: a name without a certificate can’t be visited then',
  },
  session_idle_minutes: {
    group: 'manager',
    type: 'integer',
    default: 480,
    min: 5,
    max: 43_200,
    unit: 'minutes',
    description: 'Minutes without use after which a session ends',
  },
  min_free_disk_mb: {
    group: 'deployments',
    type: 'integer',
    default: 512,
    min: 0,
    max: 10_485_760,
    unit: 'MiB',
    description: 'Disk space, in MiB, that must stay free for a deployment to begin',
  },
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
    description: 'Days that screenshots of analysed websites are kept; the suggestions stay',
  },
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof settingDefinitions;

/** The type a setting is read as: number, boolean or string. */
export type SettingValue<Key extends SettingKey> = (typeof settingDefinitions)[Key]['type'] extends infer Type
  ? Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : string
  : never;

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingDefinitions, key);
