import type { SettingDefinition } from './definition.ts';
import { isCron, isHttpUrl } from './rules.ts';

/** Settings of backups. */
export const backupDefinitions = {
  backup_schedule: {
    group: 'backups',
    type: 'string',
    default: '',
    maxLength: 255,
    rule: (value) => (isCron(value) ? undefined : 'must be a cron expression of five fields'),
    description: 'When tenants without a schedule of their own are backed up: a cron expression, in UTC; empty: never',
  },
  backup_keep_last: {
    group: 'backups',
    type: 'integer',
    default: 7,
    min: 1,
    max: 1_000,
    unit: 'backups',
    description: 'Newest scheduled backups kept of a tenant',
  },
  backup_keep_daily: {
    group: 'backups',
    type: 'integer',
    default: 7,
    min: 0,
    max: 1_000,
    unit: 'days',
    description: 'Days of which the newest scheduled backup is kept',
  },
  backup_keep_weekly: {
    group: 'backups',
    type: 'integer',
    default: 4,
    min: 0,
    max: 1_000,
    unit: 'weeks',
    description: 'Weeks of which the newest scheduled backup is kept',
  },
  backup_keep_monthly: {
    group: 'backups',
    type: 'integer',
    default: 6,
    min: 0,
    max: 1_000,
    unit: 'months',
    description: 'Months of which the newest scheduled backup is kept',
  },
  backup_keep_safety: {
    group: 'backups',
    type: 'integer',
    default: 5,
    min: 1,
    max: 1_000,
    unit: 'backups',
    description: 'Backups kept of those made before restores, and as many of those made before upgrades',
  },
  backup_s3_bucket: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 63,
    rule: (value) =>
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? undefined : 'must be the name of an S3 bucket',
    description: 'Bucket that each backup is copied to, at Amazon S3 or a service that speaks its API; empty: none',
  },
  backup_s3_endpoint: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 2_048,
    rule: (value) => (isHttpUrl(value) ? undefined : 'must be an http or https address without credentials'),
    description: 'Address of the S3-compatible service; empty: Amazon’s own',
  },
  backup_s3_region: {
    group: 'bucket',
    type: 'string',
    default: 'us-east-1',
    maxLength: 64,
    rule: (value) => (/^[a-z0-9-]+$/.test(value) ? undefined : 'must be letters, digits and hyphens'),
    description: 'Region that requests to the service are signed for',
  },
  backup_s3_prefix: {
    group: 'bucket',
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
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description:
      'Access key for the bucket: it must allow to get, put and delete objects, and to list and abort uploads',
  },
  backup_s3_secret_key: {
    group: 'bucket',
    type: 'string',
    default: '',
    maxLength: 256,
    secret: true,
    description: 'Secret key that belongs to the access key',
  },
} as const satisfies Record<string, SettingDefinition>;
