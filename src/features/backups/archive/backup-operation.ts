import { z } from 'zod';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { OperationDefinition, PassedOver, StepContext } from '../../../lib/operations/operation.ts';
import { type BackupsDeps, backupKinds } from '../backup.ts';
import type { RemoteCopies } from '../offsite/remote-copies.ts';
import { failureState, keepingCode } from '../outcome.ts';
import type { CreateBackup } from './create.ts';

/** How long the operation waits for the copy. */
const maxWaitMs = 10 * 60_000;

const backupInput = z.object({
  kind: z.enum(backupKinds),
  /** The backup's id, chosen in advance. */
  id: z.string(),
  createdBy: z.string(),
});
export type BackupInput = z.output<typeof backupInput>;
type BackupState = z.output<typeof failureState>;

/** A backup as an operation of its own, requested by a user or a schedule. */
export function backupOperation(
  create: CreateBackup,
  remote: Pick<RemoteCopies, 'upload' | 'abort'>,
  { tenants, writeAuditLog, offsite }: BackupsDeps,
): OperationDefinition<BackupInput, BackupState> {
  /** The backup is complete without its copy; a copy that fails is retried later. */
  async function copyInTime({
    input,
    signal,
    log,
  }: StepContext<BackupInput, BackupState>): Promise<PassedOver | undefined> {
    const cancelled = (): void => void remote.abort(input.id);
    signal.addEventListener('abort', cancelled, { once: true });
    try {
      const copied = remote.upload(input.id).then(
        () => log('Copied to the bucket'),
        (error: unknown): PassedOver => ({ skipped: `${messageOf(error)}; the manager retries it later` }),
      );
      const end = await withTimeout(() => copied, { timeoutMs: maxWaitMs }).catch(() => ({
        skipped: 'it takes long and continues in the background',
      }));
      signal.throwIfAborted();
      return end ?? undefined;
    } finally {
      signal.removeEventListener('abort', cancelled);
    }
  }

  return {
    kind: 'backup',
    immediate: true,
    steps: [
      {
        name: 'Back up',
        run: (context) =>
          keepingCode(context, async () => {
            await create(await tenants.get(context.subject), context.input, context);
          }),
      },
      {
        name: 'Copy to the bucket',
        skip: async () => ((await offsite.destination()) ? undefined : 'no bucket is configured'),
        run: (context) => copyInTime(context),
      },
    ],
    parseInput: (value) => backupInput.parse(value),
    parseState: (value) => failureState.parse(value),
    async settle({ subject, input }, { outcome, error }) {
      await writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'system',
        message: `Backup (${input.kind}): ${outcome}${error ? `, ${error.message}` : ''}`,
        tenant: await tenants.get(subject),
        details: { backup_id: input.id, kind: input.kind, outcome, created_by: input.createdBy },
      });
    },
  };
}
