import { z } from 'zod';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { correction, type KeptCorrection, keptCorrection } from './correction.ts';
import type { Corrections } from './corrections.ts';

const tag = 'List loader';
const maxAtOnce = 1_000;
const kept = z.object({
  corrections: z.array(keptCorrection).meta({ description: 'In the order in which they apply' }),
});
const added = z
  .strictObject({ corrections: z.array(correction).min(1).max(maxAtOnce) })
  .meta({ id: 'ListCorrections' });

/** Correcting cells of a list before it is imported. */
export function correctionRoutes(corrections: Corrections): Route[] {
  const shown = (list: KeptCorrection[]) => ({ corrections: list });
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/corrections',
        tag,
        summary: 'The corrections of a list’s cells',
        access: 'operate',
        responses: { 200: { schema: kept } },
        errors: ['invalid_state'],
      },
      async ({ params }) => shown(await corrections.list(params.id, params.job_id)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/corrections',
        tag,
        summary: 'Correct cells of a list',
        description:
          'One cell (`row`), or all cells of a column alike (`find`). The uploaded file stays as it is: checks and imports read it with the corrections. The list must be validated again.',
        access: 'operate',
        body: added,
        responses: { 200: { schema: kept } },
        errors: ['job_not_ready', 'invalid_state', 'insufficient_storage'],
      },
      async ({ params, body, principal }) =>
        shown(await corrections.add(params.id, params.job_id, body.corrections, principal)),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}/list-loader/{job_id}/corrections/{correction_id}',
        tag,
        summary: 'Undo a correction',
        description: 'Later corrections stay. The list must be validated again.',
        access: 'operate',
        responses: { 200: { schema: kept } },
        errors: ['job_not_ready', 'invalid_state', 'insufficient_storage'],
      },
      async ({ params, principal }) =>
        shown(await corrections.remove(params.id, params.job_id, Number(params.correction_id), principal)),
    ),
  ];
}
