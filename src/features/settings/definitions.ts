import { assistantDefinitions } from './assistant-definitions.ts';
import { backupDefinitions } from './backup-definitions.ts';
import type { SettingDefinition } from './definition.ts';
import { importDefinitions } from './import-definitions.ts';
import { themeDefinitions } from './theme-definitions.ts';

/** Every setting there is, in the order they are listed. */
export const settingDefinitions = {
  health_check_interval: {
    type: 'integer',
    default: 60,
    min: 10,
    max: 86_400,
    description: 'Seconds between two health checks of all tenants',
  },
  health_check_timeout: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 60,
    description: 'Seconds a tenant has to answer a health check',
  },
  health_check_concurrency: {
    type: 'integer',
    default: 20,
    min: 1,
    max: 200,
    description: 'Tenants checked at the same time',
  },
  deployment_concurrency: {
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    description: 'Deployments that run at the same time; further ones wait in order',
  },
  deployment_timeout: {
    type: 'integer',
    default: 1_800,
    min: 60,
    max: 86_400,
    description: 'Seconds after which a step of a deployment is ended as failed',
  },
  log_retention_days: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    description: 'Days that log and audit entries are kept',
  },
  release_retention: {
    type: 'integer',
    default: 3,
    min: 1,
    max: 50,
    description: 'Prepared releases kept for going back, beside those that run',
  },
  unit_memory_mb: {
    type: 'integer',
    default: 512,
    min: 64,
    max: 1_048_576,
    description: 'Memory limit of each service of a tenant, in MiB; counts from its next deployment',
  },
  unit_cpus: {
    type: 'number',
    default: 1,
    min: 0.05,
    max: 256,
    description: 'Processor limit of each service of a tenant, in cores; counts from its next deployment',
  },
  unit_pids: {
    type: 'integer',
    default: 256,
    min: 16,
    max: 65_536,
    description: 'Processes and threads that each service of a tenant may have; counts from its next deployment',
  },
  hsts_max_age_days: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 730,
    description:
      'Days for which browsers are told to use HTTPS alone for tenants’ host names; 0: they are not told. Counts where there is a certificate, from a tenant’s next deployment. Browsers keep to it: a name without a certificate can’t be visited then',
  },
  min_free_disk_mb: {
    type: 'integer',
    default: 512,
    min: 0,
    max: 10_485_760,
    description: 'Disk space, in MiB, that must stay free for a deployment to begin',
  },
  ...backupDefinitions,
  ...importDefinitions,
  ...assistantDefinitions,
  ...themeDefinitions,
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
