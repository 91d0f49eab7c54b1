import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';

/** Why a tenant is not well: the closed list, in the order in which they are looked for. A root comes before its effects. */
export const causeCodes = [
  'engine_unavailable',
  'node_unavailable',
  'disk_full',
  'operation_running',
  'not_deployed',
  'deployment_failed',
  'stopped',
  'start_failed',
  'start_failed_after_change',
  'release_missing',
  'no_suitable_node',
  'unit_missing',
  'unit_paused',
  'unit_stopped_outside',
  'database_unreachable',
  'database_silent',
  'database_connections',
  'database_refused',
  'database_missing',
  'database_damaged',
  'database_locked',
  'database_failed',
  'database_slow',
  'port_in_use',
  'listen_refused',
  'out_of_memory',
  'schema_mismatch',
  'script_line_ends',
  'script_interpreter_missing',
  'script_not_executable',
  'script_is_directory',
  'program_wrong_platform',
  'missing_variable',
  'missing_module',
  'missing_program',
  'code_invalid',
  'permission_denied',
  'name_unresolved',
  'service_unreachable',
  'uncaught_exception',
  'application_error',
  'cannot_start',
  'unit_killed',
  'unit_crashed',
  'unit_unreachable',
  'not_listening',
  'application_hangs',
  'application_unwell',
  'application_fails',
  'page_missing',
  'answer_invalid',
  'proxy_unavailable',
  'site_changed',
  'certificate_not_yet_valid',
  'certificate_expired',
  'certificate_wrong_name',
  'proxy_misroutes',
  'user_steps_failed',
  'certificate_expiring',
  'dns_missing',
  'dns_elsewhere',
  'redirects_to_itself',
  'api_key_refused',
] as const;
export type CauseCode = (typeof causeCodes)[number];

/** Causes that the diagnosis finds while all health checks pass. An expiring certificate is found by the checks, too. */
export const unseenFaultCodes = [
  'dns_missing',
  'dns_elsewhere',
  'redirects_to_itself',
  'api_key_refused',
] as const satisfies CauseCode[];
export type UnseenFaultCode = (typeof unseenFaultCodes)[number];

const scopeKinds = ['tenant', 'node', 'disk', 'engine', 'proxy', 'database_server', 'version'] as const;

/** What a client can do at once about a cause; null: the link or the text says what to do. */
const remedyActions = ['start', 'restart', 'redeploy', 'rollback', 'repair_site'] as const;

const evidence = z.array(z.object({ fact: z.string(), source: z.string(), at: timestamp }));

const cause = z.object({
  code: z.enum(causeCodes),
  title: z.string(),
  params: z.record(z.string(), z.string()).optional().meta({
    description:
      'What the title names, for sentences by `code`; missing: the code has none. `restarts`: it crashes again and again',
  }),
  confidence: z.enum(['certain', 'likely']).meta({ description: '`likely`: inferred, for example from the log' }),
  scope: z.object({ kind: z.enum(scopeKinds), name: z.string() }).meta({
    description:
      'What is at fault; `version`: all tenants of this version have this cause, as far as their causes are known',
  }),
  evidence,
  consequences: z.array(z.string()).meta({ description: 'What follows from it, for visitors first' }),
  remedy: z
    .object({
      text: z.string(),
      action: z.enum(remedyActions).nullable(),
      link: z.string().nullable().meta({ description: 'A page of the dashboard' }),
    })
    .nullable(),
});
export type Cause = z.output<typeof cause>;
export type RemedyAction = (typeof remedyActions)[number];

/** The response of `GET diagnosis`. */
export const diagnosis = z
  .object({
    tenant_id: z.uuid(),
    at: timestamp,
    cause: cause.nullable().meta({ description: 'null: there is none, or it is not known' }),
    known: z.boolean().meta({ description: 'false: something is wrong, and the facts do not show why' }),
    evidence: evidence.meta({ description: 'While the cause is not known: what fails, and what could not be read' }),
  })
  .meta({ id: 'Diagnosis' });
export type Diagnosis = z.output<typeof diagnosis>;
