import { z } from 'zod';
import { AppError, type ErrorCode, errorOf, statusOfCode } from '../../lib/errors.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { OperationRecord, StepContext } from '../../lib/operations/operation.ts';

/** The code of the business error that ended an operation, for a request that waits for it. */
export const failureState = z.object({
  failure: z
    .string()
    .refine((code): code is ErrorCode => Object.hasOwn(statusOfCode, code))
    .optional(),
});

interface Failing {
  failure?: ErrorCode | undefined;
}

/** Does a step's work and saves the code of a business error in the state. */
export async function keepingCode<Input, State extends Failing>(
  context: StepContext<Input, State>,
  work: () => Promise<unknown>,
): Promise<undefined> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError && !context.signal.aborted)
      await context.save({ failure: error.code } as Partial<State>);
    throw error;
  }
}

/**
 * Waits for an operation's end.
 * @throws AppError with the code of its failure; shutting_down if the manager stops first
 */
export async function endOf(engine: OperationEngine, id: string, what: string): Promise<OperationRecord> {
  const record = await engine.ended(id)?.catch(() => undefined);
  if (!record)
    throw new AppError('shutting_down', `The manager is stopping; it resumes the ${what} (${id}) after its restart`);
  if (record.status === 'success') return record;
  const { failure } = failureState.parse(record.state);
  const reason = record.error?.message ?? record.status;
  throw errorOf(
    failure ?? (record.status === 'cancelled' ? 'invalid_state' : 'tenant_error'),
    `The ${what} failed: ${reason}`,
  );
}
