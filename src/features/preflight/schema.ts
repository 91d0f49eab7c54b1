import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { operationStatuses } from '../../lib/operations/operation.ts';
import { causeCodes, remedyCodes } from './causes.ts';

/** What is checked, in the order in which it is shown. */
export const checkCodes = [
  'runtime',
  'base_image',
  'build',
  'network',
  'containers',
  'published_port',
  'host_names',
  'host_https',
  'container_names',
  'container_https',
  'tenant_database',
  'proxy',
  'bucket',
  'mail',
  'clock',
  'data_disk',
  'engine_disk',
  'image_disk',
] as const;
export type CheckCode = (typeof checkCodes)[number];

/** Why a check says nothing. */
export const notCheckedReasons = [
  'runtime_unavailable',
  'image_missing',
  'no_network',
  'no_containers',
  'host_fails',
  'no_other_clock',
  'disk_not_visible',
  'stopped',
] as const;
export type NotCheckedReason = (typeof notCheckedReasons)[number];

export const checkStatuses = ['pending', 'running', 'good', 'failed', 'not_checked'] as const;

const params = z.record(z.string(), z.string());

/** One check and its result. */
export const checkResult = z
  .object({
    check: z.enum(checkCodes),
    status: z
      .enum(checkStatuses)
      .meta({ description: '`not_checked`: nothing is known, for `reason`; that is no failure, and no success' }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'While it runs: its last line. Then what was found, or the message of what failed' }),
    cause: z.object({ code: z.enum(causeCodes), params, title: z.string() }).nullable(),
    remedy: z.object({ code: z.enum(remedyCodes), params, text: z.string() }).nullable(),
    reason: z.enum(notCheckedReasons).nullable(),
  })
  .meta({ id: 'PreflightCheck' });
export type CheckResult = z.output<typeof checkResult>;

const state = z.object({
  preflight_id: z.uuid(),
  status: z.enum(operationStatuses).meta({ description: '`failed`: at least one check failed' }),
  checks: z.array(checkResult),
});

export const preflight = state
  .extend({
    base_image: z.string(),
    created_by: z.string(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Preflight' });

export const latestPreflight = z
  .object({ preflight: preflight.nullable().meta({ description: 'null: this host was never checked' }) })
  .meta({ id: 'LatestPreflight' });

/** Has Node.js, which tries out the network in containers, and is what most applications begin with. */
const usualImage = 'node:24-bookworm-slim';

export const preflightBody = z
  .strictObject({
    base_image: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .regex(/^[a-zA-Z0-9][\w.:/@-]*$/, 'must be the name of an image')
      .default(usualImage)
      .meta({ description: 'The image that is pulled, built from and run. It needs Node.js 18 or newer.' }),
  })
  .prefault({})
  .meta({ id: 'NewPreflight' });

/** The messages of a preflight's stream. */
export const preflightStream = {
  progress: state.extend({ type: z.literal('progress') }),
  log: z.object({ type: z.literal('log'), message: z.string() }),
  complete: state.extend({ type: z.literal('complete'), error: z.string().nullable() }),
};
