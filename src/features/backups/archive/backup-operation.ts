import { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import type { OperationDefinition, PassedOver, StepContext } from '../../../lib/operations/operation.ts';
import { backupKinds } from '../backup.ts';
import type { BackupDependencies } from '../dependencies.ts';
import type { RemoteCopies } from '../offsite/remote-copies.ts';
import { failureState, keepingCode } from '../outcome.ts';
import type { CreateBackup } from './create.ts';

/** Who asked for the backup does not wait longer for its copy. */
const longestWaitMs = 10 * 60_000;

const backupInput = z.object({
  kind: z.enum(backupKinds),
  /** The backup's id, chosen before anything is made. */
  id: z.string(),
  createdBy: z.string(),
});
export type BackupInput = z.output<typeof backupInput>;
type BackupState = z.output<typeof failureState>;

/** A backup as an operation of its own: asked for by a user, or by a schedule. */
export function backupOperation(
  create: CreateBackup,
  remote: Pick<RemoteCopies, 'upload' | 'abandon'>,
  { tenants, journal, offsite }: Pick<BackupDependencies, 'tenants' | 'journal' | 'offsite'>,
): OperationDefinition<BackupInput, BackupState> {
  /** The backup is complete without its copy, which is made later where it can't be had now. */
  async function copyInTime({
    input,
    signal,
    log,
  }: StepContext<BackupInput, BackupState>): Promise<PassedOver | undefined> {
    const cancelled = (): void => void remote.abandon(input.id);
    signal.addEventListener('abort', cancelled, { once: true });
    const late = Promise.withResolvers<PassedOver>();
    const timer = setTimeout(() => late.resolve({ skipped: 'it takes long, and goes on beside' }), longestWaitMs);
    try {
      const copied = remote.upload(input.id).then(
        () => log('Copied to the bucket'),
        (error: unknown): PassedOver => ({ skipped: `${messageOf(error)}; tried again later` }),
      );
      const end = await Promise.race([copied, late.promise]);
      signal.throwIfAborted();
      return end ?? undefined;
    } finally {
      clearTimeout(timer);
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
        skip: async () => ((await offsite.destination()) ? undefined : 'no bucket is set'),
        run: (context) => copyInTime(context),
      },
    ],
    parseInput: (value) => backupInput.parse(value),
    parseState: (value) => failureState.parse(value),
    async settle({ subject, input }, { outcome, error }) {
      await journal({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'system',
        message: `Backup (${input.kind}): ${outcome}${error ? `, ${error.message}` : ''}`,
        tenant: await tenants.get(subject),
        details: { backup_id: input.id, kind: input.kind, outcome, created_by: input.createdBy },
      });
    },
  };
}
