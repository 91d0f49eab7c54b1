import { AppError, messageOf } from '../../../lib/errors.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { deployedRelease, type LiveRelease, type Tenant } from '../../tenants/tenant.ts';
import { classifyFailure } from '../single/context.ts';
import type { UpgradesDeps } from '../single/upgrade.ts';
import {
  type Findings,
  type RehearsalInput,
  type RehearsalState,
  rehearsalInput,
  rehearsalState,
  rowChanges,
  schemaChanges,
} from './rehearsal.ts';

type Context = StepContext<RehearsalInput, RehearsalState>;

/** The number of output lines kept of a failed script. */
const maxOutputLines = 30;

const noFindings: Findings = { ok: true, scripts: [], failure: null, copyMs: 0, schema: [], rows: [], notes: [] };

/**
 * A rehearsal of an upgrade: prepares the version and runs its migrations on a temporary copy of the database while the tenant
 * keeps running. A version that can't be built or whose migrations fail is a finding, not a failure of the rehearsal.
 */
export function rehearsalOperation(deps: UpgradesDeps): OperationDefinition<RehearsalInput, RehearsalState> {
  const { tenants, writeAuditLog, deployments, backups, databaseOf } = deps;
  const { parts } = deployments;

  async function prepare(context: Context): Promise<void> {
    const tenant = await tenants.get(context.subject);
    try {
      await parts.assertDiskSpace();
      await parts.copy(tenant, context.input.version, {
        log: context.log,
        signal: context.signal,
        save: ({ release }) => context.save({ release }),
      });
    } catch (error) {
      return cannotBePrepared(context, await classifyFailure(error, parts), []);
    }
    const output = createOutputBuffer(context);
    await parts
      .build(tenant, releaseOf(context), { log: output.log, signal: context.signal })
      .catch(async (error: unknown) => cannotBePrepared(context, await classifyFailure(error, parts), output.lines()));
  }

  async function rehearse(context: Context): Promise<void> {
    const tenant = await tenants.get(context.subject);
    const release = releaseOf(context);
    const kind = deployedRelease(tenant).database;
    if (!kind || !release.database) {
      const note = kind ? 'this version has no database' : 'the tenant has no database yet';
      await context.save({ findings: { ...noFindings, notes: [`No migrations were run: ${note}`] } });
      return;
    }
    const database = await databaseOf(tenant, kind);
    const found = await backups.scratchDatabases.using(
      tenant,
      database,
      context,
      async (scratch, work): Promise<Findings> => {
        context.log('Copying the database');
        const began = performance.now();
        await scratch.load(database.dump(work).content, work);
        const copyMs = since(began);
        const before = { rows: await scratch.contents(work), schema: await scratch.schema(work) };
        const ran = await migrate(context, tenant, release, scratch.url);
        const after = { rows: await scratch.contents(work), schema: await scratch.schema(work) };
        return {
          ...ran,
          copyMs,
          schema: schemaChanges(before.schema, after.schema),
          rows: rowChanges(before.rows, after.rows),
          notes: [],
        };
      },
    );
    await context.save({ findings: found });
    context.log(
      found.ok ? 'The migrations succeeded; the copy is removed' : `The upgrade would fail: ${found.failure?.message}`,
    );
  }

  async function migrate(context: Context, tenant: Tenant, release: LiveRelease, url: string) {
    const scripts: Findings['scripts'] = [];
    const output = createOutputBuffer(context);
    let began = performance.now();
    const endScript = (): void => {
      const last = scripts.at(-1);
      if (last) last.ms = since(began);
    };
    try {
      const work = { log: output.log, signal: context.signal };
      await parts.migrate(tenant, release, work, {
        environment: { DATABASE_URL: url },
        onScript(name) {
          endScript();
          output.clear();
          began = performance.now();
          scripts.push({ name, ms: 0 });
        },
      });
      endScript();
      return { ok: true, scripts, failure: null };
    } catch (error) {
      context.signal.throwIfAborted();
      endScript();
      const script = scripts.at(-1)?.name ?? null;
      const failure = { step: 'Run migrations', script, message: messageOf(error), output: output.lines() };
      return { ok: false, scripts, failure };
    }
  }

  return {
    kind: 'rehearsal',
    immediate: true,
    steps: [
      {
        name: 'Prepare',
        async run(context) {
          await prepare(context);
          return undefined;
        },
      },
      {
        name: 'Run migrations on a copy',
        skip: ({ state }) => (state.findings ? 'the version could not be prepared' : undefined),
        async run(context) {
          await rehearse(context);
          return undefined;
        },
      },
    ],
    parseInput: (value) => rehearsalInput.parse(value),
    parseState: (value) => rehearsalState.parse(value),
    async settle({ operationId, subject, input, state }, { outcome, error }) {
      const target = input.version ?? input.commit.slice(0, 12);
      const ended = outcome === 'success' && !state.findings?.ok ? 'it would fail' : outcome;
      await writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'deployment',
        message: `Rehearsal of ${target}: ${ended}${error ? `, ${error.message}` : ''}`,
        tenant: await tenants.get(subject),
        details: { deployment_id: operationId, outcome, ok: state.findings?.ok ?? null, created_by: input.createdBy },
      });
      void deployments.collectGarbage().catch(() => undefined);
    },
  };
}

/** A fault of the version is a finding; a fault of its surroundings (the runtime, the git server) is a failure. */
async function cannotBePrepared(context: Context, error: unknown, output: string[]): Promise<void> {
  context.signal.throwIfAborted();
  if (error instanceof AppError) {
    await context.save({ refusal: error.code });
    throw error;
  }
  const message = messageOf(error);
  context.log(`The upgrade would fail: ${message}`);
  await context.save({
    findings: { ...noFindings, ok: false, failure: { step: 'Prepare', script: null, message, output } },
  });
}

/** Passes lines on to the operation's log and keeps the last ones. */
function createOutputBuffer({ log }: Context) {
  let kept: string[] = [];
  return {
    log(line: string): void {
      log(line);
      kept = [...kept.slice(1 - maxOutputLines), line];
    },
    clear(): void {
      kept = [];
    },
    lines: (): string[] => kept,
  };
}

function releaseOf({ state }: Context): LiveRelease {
  if (!state.release) throw new Error('The version has not been prepared');
  return state.release;
}

const since = (began: number): number => Math.round(performance.now() - began);
