import { z } from 'zod';
import type { CheckResult } from '../../adapters/tenant-api/user-steps/run-check.ts';
import { timestamp } from '../../lib/http/routing/formats.ts';

const durationMs = z.int().min(0);

const stepResult = z.object({
  name: z.string(),
  cleanup: z.boolean().meta({ description: 'It ran after the steps, whether or not they passed' }),
  status: z.enum(['passed', 'failed', 'skipped']),
  status_code: z.int().nullable().meta({ description: 'null: no answer' }),
  duration_ms: durationMs,
  error: z.string().nullable().meta({ description: 'Why it failed or was skipped; secrets are masked' }),
});

/** The result of one check on one way to the units. */
const checkResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed']),
  duration_ms: durationMs,
  steps: z.array(stepResult),
}) satisfies z.ZodType<CheckResult>;

/** How requests reached the units. */
export const routes = ['units', 'proxy'] as const;
export type Route = (typeof routes)[number];

/** The results of one run, one for each check and way. */
export const runResults = z.array(
  checkResult.extend({
    route: z.enum(routes).meta({ description: '`units`: directly; `proxy`: through the proxy, by the host names' }),
  }),
);
export type RunResults = z.output<typeof runResults>;

/** The response of `GET synthetic-checks` and `POST synthetic-checks/run`. */
export const syntheticChecksBody = z
  .object({
    tenant_id: z.uuid(),
    checks: z
      .array(
        z.object({
          name: z.string(),
          steps: z.array(
            z.object({
              name: z.string(),
              unit: z.enum(['api', 'frontend']),
              method: z.string(),
              path: z.string(),
              cleanup: z.boolean(),
            }),
          ),
        }),
      )
      .meta({ description: 'As the manifest of the running release names them' }),
    last_run: z
      .object({ at: timestamp, status: z.enum(['passed', 'failed']), results: runResults })
      .nullable()
      .meta({ description: 'null: these checks have not run yet' }),
    interval_minutes: z.int().min(0).meta({ description: '0: they do not run repeatedly' }),
    on_deploy: z.boolean().meta({ description: 'Whether a deployment fails if one of them fails' }),
  })
  .meta({ id: 'SyntheticChecks' });
export type SyntheticChecksBody = z.output<typeof syntheticChecksBody>;
