import { isCron, isHttpUrl } from './rules.ts';

export const valueTypes = ['integer', 'number', 'boolean', 'string'] as const;
export type ValueType = (typeof valueTypes)[number];

interface NumberSetting {
  type: 'integer' | 'number';
  default: number;
  min: number;
  max: number;
}

interface BooleanSetting {
  type: 'boolean';
  default: boolean;
}

interface StringSetting {
  type: 'string';
  default: string;
  maxLength: number;
  /** Answers what is wrong with a value that is not empty; the empty string means unset. */
  rule?(value: string): string | undefined;
}

export type SettingDefinition = (NumberSetting | BooleanSetting | StringSetting) & {
  description: string;
  secret?: true;
};

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
  backup_schedule: {
    type: 'string',
    default: '',
    maxLength: 255,
    rule: (value) => (isCron(value) ? undefined : 'must be a cron expression of five fields'),
    description: 'When tenants without a schedule of their own are backed up: a cron expression, in UTC; empty: never',
  },
  backup_keep_last: {
    type: 'integer',
    default: 7,
    min: 1,
    max: 1_000,
    description: 'Newest scheduled backups kept of a tenant',
  },
  backup_keep_daily: {
    type: 'integer',
    default: 7,
    min: 0,
    max: 1_000,
    description: 'Days of which the newest scheduled backup is kept',
  },
  backup_keep_weekly: {
    type: 'integer',
    default: 4,
    min: 0,
    max: 1_000,
    description: 'Weeks of which the newest scheduled backup is kept',
  },
  backup_keep_monthly: {
    type: 'integer',
    default: 6,
    min: 0,
    max: 1_000,
    description: 'Months of which the newest scheduled backup is kept',
  },
  backup_keep_safety: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 1_000,
    description: 'Backups kept of those made before restores, and as many of those made before upgrades',
  },
  backup_s3_bucket: {
    type: 'string',
    default: '',
    maxLength: 63,
    rule: (value) =>
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? undefined : 'must be the name of an S3 bucket',
    description: 'Bucket that each backup is copied to, at Amazon S3 or a service that speaks its API; empty: none',
  },
  backup_s3_endpoint: {
    type: 'string',
    default: '',
    maxLength: 2_048,
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description: 'Address of the S3-compatible service; empty: Amazon’s own',
  },
  backup_s3_region: {
    type: 'string',
    default: 'us-east-1',
    maxLength: 64,
    rule: (value) => (/^[a-z0-9-]+$/.test(value) ? undefined : 'must be letters, digits and hyphens'),
    description: 'Region that requests to the service are signed for',
  },
  backup_s3_prefix: {
    type: 'string',
    default: '',
    maxLength: 255,
    rule: (value) =>
      /^[\w.-]+(\/[\w.-]+)*$/.test(value)
        ? undefined
        : 'must be words of letters, digits, “.”, “_”, “-” between slashes',
    description: 'What the names of backups in the bucket begin with, without a slash at the end',
  },
  backup_s3_access_key: {
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description:
      'Access key for the bucket: it must allow to get, put and delete objects, and to list and abort uploads',
  },
  backup_s3_secret_key: {
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description: 'Secret key that belongs to the access key',
  },
  import_max_upload_mb: {
    type: 'integer',
    default: 200,
    min: 1,
    max: 10_240,
    description: 'Largest list that can be uploaded, in MiB',
  },
  import_retention_days: {
    type: 'integer',
    default: 90,
    min: 1,
    max: 3_650,
    description: 'Days that the file of a list is kept after it was last worked on; the history stays',
  },
  import_concurrency: {
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    description: 'Lists that are imported at the same time; further ones wait in order',
  },
  import_phone_region: {
    type: 'string',
    default: 'US',
    maxLength: 2,
    rule: (value) => (/^[A-Z]{2}$/.test(value) ? undefined : 'must be a country code of two capital letters'),
    description: 'Country of phone numbers in lists that name none (ISO 3166)',
  },
  ai_provider_api_key: {
    type: 'string',
    default: '',
    maxLength: 4_096,
    secret: true,
    description: 'Key for the AI provider',
  },
  ai_provider_base_url: {
    type: 'string',
    default: '',
    maxLength: 2_048,
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description: 'Address of an OpenAI-compatible API; empty: no AI provider, built-in rules are used',
  },
  ai_provider_model: {
    type: 'string',
    default: '',
    maxLength: 200,
    description: 'Name of the model asked at the AI provider',
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
