import { z } from 'zod';
import type { OperationHandle } from '../../operations/operation-handle.ts';
import { queryBoolean } from '../routing/formats.ts';
import { OtherAnswer } from '../routing/route.ts';

/** The query field of routes that wait for the end of what they begin, unless told not to. */
export const waitField = queryBoolean(true).meta({
  description: '`false`: answers 202 at once, with the deployment to watch it by',
});

/** What such a route answers with `wait=false`. */
export const acceptedResponse = {
  status: 202,
  schema: z.object({ deployment_id: z.uuid(), status: z.literal('running') }).meta({ id: 'UnderWay' }),
  description: 'With `wait=false`: it is under way',
} as const;

/** The answer to who waits, or to who does not. @throws what ended it */
export async function answerOrAccept<T, Shown>(
  { id, done }: OperationHandle<T>,
  wait: boolean,
  show: (end: T) => Shown,
) {
  if (!wait) return new OtherAnswer({ deployment_id: id, status: 'running' as const });
  return show(await done);
}
