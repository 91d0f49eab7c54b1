import { isCron, isHttpUrl, type SettingDefinition } from './definition.ts';

/** Settings of backups. */
export const backupDefinitions = {
  backup_schedule: {
    group: 'backups',
    type: 'string',
    default: '',
    maxLength: 255,
    rule: (value) => (isCron(value) ? undefined : 'must be a cron expression of five fields'),
    description: 'Schedule for tenants without their own: a cron expression in UTC; empty: no scheduled backups',
  },
  backup_keep_last: {
    group: 'backups',
    type: 'integer',
    default: 7,
    min: 1,
    max: 1_000,
    unit: 'backups',
    description: 'Number of newest scheduled backups kept for each tenant',
  },
  backup_keep_daily: {
    group: 'backups',
    type: 'integer',
    default: 7,
    min: 0,
    max: 1_000,
    unit: 'days',
    description: 'Number of days for which the newest scheduled backup of the day is kept',
  },
  backup_keep_weekly: {
    group: 'backups',
    type: 'integer',
    default: 4,
    min: 0,
    max: 1_000,
    unit: 'weeks',
    description: 'Number of weeks for which the newest scheduled backup of the week is kept',
  },
  backup_keep_monthly: {
    group: 'backups',
    type: 'integer',
    default: 6,
    min: 0,
    max: 1_000,
    unit: 'months',
    description: 'Number of months for which the newest scheduled backup of the month is kept',
  },
  backup_keep_safety: {
    group: 'backups',
    type: 'integer',
    default: 5,
    min: 1,
    max: 1_000,
    unit: 'backups',
    description: 'Number of backups kept from before restores, and the same number from before upgrades',
  },
  backup_loss_percent: {
    group: 'backups',
    type: 'integer',
    default: 50,
    min: 0,
    max: 99,
    unit: 'percent',
    description:
      'A backup in which a table of at least 100 rows, or the whole, has lost more than this since the one before is reported, and older backups stay until it is confirmed; 0: off',
  },
  restore_drill_days: {
    group: 'backups',
    type: 'integer',
    default: 30,
    min: 0,
    max: 365,
    unit: 'days',
    description:
      'The newest backup of each running tenant is loaded into a scratch database and compared this often; 0: only on request',
  },
  backup_s3_bucket: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 63,
    rule: (value) =>
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? undefined : 'must be the name of an S3 bucket',
    description:
      'Bucket that each backup is copied to, at Amazon S3 or a compatible service; empty: no off-site copies',
  },
  backup_s3_endpoint: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 2_048,
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description: 'Address of the S3-compatible service; empty: Amazon S3',
  },
  backup_s3_region: {
    group: 'bucket',
    type: 'string',
    default: 'us-east-1',
    maxLength: 64,
    rule: (value) => (/^[a-z0-9-]+$/.test(value) ? undefined : 'must be letters, digits and hyphens'),
    description: 'Region used to sign requests to the service',
  },
  backup_s3_prefix: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 255,
    rule: (value) =>
      /^[\w.-]+(\/[\w.-]+)*$/.test(value)
        ? undefined
        : 'must be names of letters, digits, “.”, “_” and “-” separated by slashes',
    description: 'Prefix of backup names in the bucket, without a trailing slash',
  },
  backup_s3_access_key: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description:
      'Access key for the bucket. It must permit getting, putting and deleting objects, and listing and aborting uploads',
  },
  backup_s3_secret_key: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description: 'Secret key of the access key',
  },
} as const satisfies Record<string, SettingDefinition>;
