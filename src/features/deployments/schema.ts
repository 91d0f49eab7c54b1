import { z } from 'zod';
import { databaseKinds } from '../../adapters/databases/tenant-database.ts';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { operationStatuses, stepStatuses } from '../../lib/operations/operation.ts';

/** A branch name (git check-ref-format) or a commit's id. It never starts with `-`: git would parse it as an option. */
const refName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[\w.+@/-]+$/, 'must be the name of a branch, or the id of a commit (7 or more hexadecimal digits)')
  .refine(
    (name) => !/^[-/.@]/.test(name) && !/[/.]$/.test(name) && !/\.\.|\/\/|\/\.|\.lock(?:\/|$)/.test(name),
    'must be a valid git branch name',
  );

export const deployBody = z
  .strictObject({
    skip_ssl: z.boolean().default(false).meta({
      description:
        'No certificate and no redirect to HTTPS. Applies to later changes of the host names too, until a deployment without `skip_ssl`',
    }),
    skip_proxy: z.boolean().default(false),
    skip_services: z.boolean().default(false),
    accept_data_loss: z.boolean().default(false).meta({
      description:
        'Administrators only. Begins without data where the tenant’s data is gone (`data_missing`); what is there stays',
    }),
    target_version: z.string().trim().min(1).max(100).nullable().default(null).meta({
      description:
        'A version tag. Without it and without `target_ref`: the deployed version, else the latest release, else the head of the default branch',
    }),
    target_ref: refName.nullable().default(null).meta({
      description:
        'Instead of `target_version`: a branch, or the id of a commit of a branch or tag, in full or abbreviated to at least 7 digits. 404 if the repository has neither',
    }),
  })
  .refine((body) => body.target_version === null || body.target_ref === null, {
    path: ['target_ref'],
    message: 'must not be given together with target_version',
  });

const step = z.object({
  name: z.string(),
  status: z.enum(stepStatuses),
  started: timestamp.nullable(),
  duration: z.int().nullable().meta({ description: 'Seconds' }),
  reason: z.string().nullable().meta({ description: 'Why it was skipped or failed' }),
});

export const stepError = z.object({
  step: z.string(),
  message: z.string().meta({ description: 'The cause in plain words and what to do, where one was found' }),
  cause: z
    .object({
      code: z.string().meta({ description: 'As in a diagnosis, `port_in_use` for example' }),
      title: z.string(),
      remedy: z.string().nullable(),
      params: z
        .record(z.string(), z.string())
        .nullable()
        .meta({ description: 'What title and remedy name, such as `image` and `registry`; null: only their words' }),
      diagnosis: z
        .object({
          confidence: z.enum(['certain', 'likely']),
          evidence: z.array(z.object({ fact: z.string(), source: z.string(), at: timestamp })),
        })
        .nullable()
        .meta({ description: 'What was seen before the rollback; null: only what `detail` says' }),
    })
    .nullable()
    .meta({ description: 'null: it was not found' }),
  detail: z.string().nullable().meta({ description: 'What was seen of that cause: unit, exit code, messages' }),
});

/** A page of a tenant's operations, of some kinds. */
export const deploymentsQuery = pagingQuery().extend({
  kinds: z
    .string()
    .max(200)
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .optional()
    .meta({ description: 'Separated by commas, such as `deploy,upgrade`; default: all' }),
});

export const deploymentSummary = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    kind: z.string(),
    status: z.enum(operationStatuses),
    version: z.string().nullable().meta({ description: 'The tag; null for a branch or a commit' }),
    ref: z.string().nullable().meta({ description: 'The branch or commit given as `target_ref`' }),
    commit: z.string().nullable(),
    current_step: z.string().nullable(),
    progress_percent: z.int(),
    error: stepError.nullable(),
    put_back: z.boolean().nullable().meta({
      description: 'Whether a failed or cancelled deployment was rolled back completely; null: it did not fail',
    }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'DeploymentSummary' });

export const deployment = deploymentSummary
  .extend({ steps: z.array(step), logs: z.string() })
  .meta({ id: 'Deployment' });

export const deployAnswer = z.object({
  deployment_id: z.uuid(),
  status: z.literal('running'),
  started_at: timestamp,
  estimated_duration: z.int().meta({ description: 'Seconds' }),
});

const commitRange = z
  .object({
    total: z.int(),
    commits: z
      .array(z.object({ commit: z.string(), author: z.string(), date: timestamp, subject: z.string() }))
      .meta({ description: 'Newest first, at most 30' }),
  })
  .meta({ id: 'CommitRange' });

/** What a deployment would do (`dry_run=true`). */
export const deploymentPlan = z
  .object({
    dry_run: z.literal(true),
    version: z.string().nullable(),
    ref: z.string().nullable(),
    commit: z.string(),
    steps: z.array(
      z.object({ name: z.string(), status: z.enum(['pending', 'skipped']), reason: z.string().nullable() }),
    ),
    units: z.array(
      z.object({
        name: z.string(),
        change: z.enum(['create', 'replace', 'none']),
        port: z.int(),
        environment: z.array(z.string()).meta({ description: 'Names only' }),
      }),
    ),
    release: z.object({ key: z.string(), prepared: z.boolean() }),
    database: z.object({ kind: z.enum(databaseKinds) }).nullable(),
    migrations: z.array(z.string()),
    changes: z
      .object({
        commits: z.object({ added: commitRange, removed: commitRange }).nullable().meta({
          description: 'null when the deployed commit is not in the repository any more, or git could not compare',
        }),
        environment: z
          .object({ added: z.array(z.string()), changed: z.array(z.string()), removed: z.array(z.string()) })
          .meta({ description: 'Names of the variables that differ from the tenant’s `.env`' }),
      })
      .nullable()
      .meta({ description: 'Compared to what is deployed; null before the first deployment' }),
    estimated_duration: z.int(),
  })
  .meta({ id: 'DeploymentPlan' });

/** The messages of a deployment's stream. */
export const deploymentStream = {
  progress: z.object({
    type: z.literal('progress'),
    deployment_id: z.string(),
    status: z.enum(operationStatuses),
    current_step: z.string().nullable(),
    progress_percent: z.int(),
  }),
  log: z.object({ type: z.literal('log'), message: z.string(), timestamp }),
  complete: z.object({
    type: z.literal('complete'),
    deployment_id: z.string(),
    status: z.enum(operationStatuses),
    duration_seconds: z.int(),
    error: stepError.nullable().optional(),
  }),
};
