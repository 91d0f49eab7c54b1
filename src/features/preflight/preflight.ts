import { z } from 'zod';
import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { withTimeout } from '../../lib/concurrency/timeout.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { OperationDefinition, OperationMessages, OperationRecord } from '../../lib/operations/operation.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { type ChecksDeps, checksOf } from './checks.ts';
import { pending, runChecks } from './run.ts';
import {
  type CheckResult,
  checkResult,
  latestPreflight,
  preflight,
  preflightBody,
  type preflightStream,
} from './schema.ts';
import type { PreflightStore } from './store.ts';

export type { ChecksDeps } from './checks.ts';

const kind = 'preflight';
/** There is one host to check, and it is checked once at a time. */
const subject = 'host';

/** An engine that hangs must not hold up the result. */
const clearedWithinMs = 30_000;

const input = z.object({
  baseImage: z.string(),
  actor: z.object({ userId: z.string().nullable(), username: z.string() }),
});
type Input = z.output<typeof input>;
const state = z.object({ checks: z.array(checkResult) });
type State = z.output<typeof state>;

export interface PreflightDeps extends ChecksDeps {
  /** The engine of these checks alone. */
  engine: OperationEngine;
  /** Removes the streams of earlier ones. */
  removeOldStreams(): Promise<void>;
}

export interface Preflight {
  routes: Route[];
  /** @throws AppError not_found */
  stream(id: string): Promise<ReplayStream>;
}

const shownState = (record: OperationRecord) => ({
  preflight_id: record.id,
  status: record.status,
  checks: state.parse(record.state).checks,
});

/** The messages of the stream. */
export const preflightMessages = {
  progress: (record): z.input<typeof preflightStream.progress> => ({ type: 'progress', ...shownState(record) }),
  log: (message): z.input<typeof preflightStream.log> => ({ type: 'log', message }),
  complete: (record): z.input<typeof preflightStream.complete> => ({
    type: 'complete',
    ...shownState(record),
    error: record.error?.message ?? null,
  }),
} satisfies OperationMessages;

function show(record: OperationRecord): z.input<typeof preflight> {
  const { baseImage, actor } = input.parse(record.input);
  return {
    ...shownState(record),
    base_image: baseImage,
    created_by: actor.username,
    created_at: toTimestamp(record.createdAt),
    finished_at: toTimestampOrNull(record.finishedAt),
  };
}

/** Checks the host, its engine and the services that this installation uses, all at the same time. */
export function createPreflight(rows: PreflightStore, deps: PreflightDeps): Preflight {
  const { engine } = deps;
  // Each request sees what the one before it has started.
  const lock = new KeyedLock();
  engine.register(preflightOperation(deps));

  /** A running one is as good as a new one. @throws AppError shutting_down */
  async function start(baseImage: string, { userId, username }: Actor): Promise<OperationRecord> {
    const given: Input = { baseImage, actor: { userId, username } };
    const checks = (await checksOf(deps, baseImage)).map(pending);
    try {
      const record = await engine.submit(kind, subject, given, { checks });
      await rows.removeOthersThan(record.id);
      await deps.removeOldStreams();
      return record;
    } catch (error) {
      const running = await rows.latest();
      if (running && error instanceof AppError && error.code === 'operation_in_progress') return running;
      throw error;
    }
  }

  const common = { path: '/api/system/preflight', tag: 'System', access: 'operate' } as const;
  return {
    async stream(id) {
      if (!(await rows.find(id))) throw notFound('preflight', id);
      return engine.stream(id);
    },
    routes: [
      defineRoute(
        {
          ...common,
          method: 'post',
          summary: 'Check this host',
          description:
            'Tries out what deployments need: the engine, a pull of a base image, a build, a network, containers, name resolution and outgoing HTTPS of the host and of ' +
            'containers, tenants’ database, the reverse proxy, the bucket, mail, clocks and disks. What this installation does not use is left out. The checks run side by ' +
            'side, each at most 20 s; a pull that moves goes on. What is made for them is removed. While one is running it is answered. ' +
            'Follow it with the WebSocket `/ws/preflight/{preflight_id}` or with `subscribe` `{stream: "preflight", id}` on Socket.IO: messages `progress` {preflight_id, ' +
            'status, checks}, `log` {message}, `complete` {preflight_id, status, checks, error}.',
          body: preflightBody,
          responses: { 202: { schema: preflight } },
        },
        async ({ body, principal }) => show(await lock.run(subject, () => start(body.base_image, principal))),
      ),
      defineRoute(
        {
          ...common,
          method: 'get',
          summary: 'Get the last check of this host',
          responses: { 200: { schema: latestPreflight } },
        },
        async () => {
          const record = await rows.latest();
          return { preflight: record ? show(record) : null };
        },
      ),
    ],
  };
}

function preflightOperation(deps: PreflightDeps): OperationDefinition<Input, State> {
  const { probes } = deps.runtime;
  const clear = () => withTimeout(async () => probes?.clear(), { timeoutMs: clearedWithinMs });
  return {
    kind,
    parseInput: (value) => input.parse(value),
    parseState: (value) => state.parse(value),
    steps: [
      {
        name: 'Check',
        async run({ input: { baseImage }, operationId: id, save, publish, log, signal }) {
          const checks = await checksOf(deps, baseImage);
          // What an earlier manager left; an engine that does not answer is found below.
          await clear().catch(() => undefined);
          try {
            const results = await runChecks(checks, { log, signal }, async (all) => {
              await save({ checks: all });
              publish({ type: 'progress', preflight_id: id, status: 'running', checks: all });
            });
            const failed = results.filter(({ status }) => status === 'failed').length;
            if (failed > 0) throw new Error(`${failed} of ${results.length} checks failed`);
            return undefined;
          } finally {
            await clear().catch((error: unknown) => log(`Not removed: ${messageOf(error)}`));
          }
        },
      },
    ],
    async settle({ state: { checks }, save }) {
      await save({ checks: checks.map(ended) });
    },
  };
}

/** Of an operation that ended early. */
const ended = (result: CheckResult): CheckResult =>
  result.status === 'pending' || result.status === 'running'
    ? { ...result, status: 'not_checked', reason: 'stopped' }
    : result;
