import { z } from 'zod';
import type { OperationHandle } from '../../operations/operation-handle.ts';
import { queryBoolean } from '../routing/formats.ts';
import { type Reply, reply } from '../routing/route.ts';

/** The query field of routes that wait for the end of the operation they start, unless `wait=false`. */
export const waitField = queryBoolean(true).meta({
  description: '`false`: answers 202 at once, with the deployment to watch it by',
});

/** The response of such a route with `wait=false`. */
export const acceptedResponse = {
  schema: z.object({ deployment_id: z.uuid(), status: z.literal('running') }).meta({ id: 'UnderWay' }),
  description: 'With `wait=false`: it is under way',
} as const;

/** Answers 202 at once, or what `show` makes of the result when the work has ended. @throws what made the work fail */
export async function answerOrAccept<T, Shown extends Reply>(
  { id, done }: OperationHandle<T>,
  wait: boolean,
  show: (result: T) => Shown,
) {
  if (!wait) return reply(202, { deployment_id: id, status: 'running' as const });
  return show(await done);
}
