import { z } from 'zod';
import type { OperationDefinition } from '../../kernel/operations/operation.ts';
import { backupKinds } from './backup.ts';
import type { CreateBackup } from './create.ts';
import type { BackupDependencies } from './dependencies.ts';
import { failureState, keepingCode } from './outcome.ts';

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
  { tenants, journal }: Pick<BackupDependencies, 'tenants' | 'journal'>,
): OperationDefinition<BackupInput, BackupState> {
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
