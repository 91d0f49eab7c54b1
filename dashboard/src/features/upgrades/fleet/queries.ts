import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';

export type Fleet = components['schemas']['FleetUpgrade'];
export type FleetSummary = components['schemas']['FleetUpgradeSummary'];
export type FleetMember = components['schemas']['FleetUpgradeTenant'];
export type FleetPlan = components['schemas']['FleetUpgradePlan'];
export type NewFleet = components['schemas']['NewFleetUpgrade'];

/** Page size of the list of upgrades. */
export const perPage = 50;

/** Fleet upgrades, newest first; pages count from 1. */
export const fleetsQuery = (page: number) =>
  queryOptions({
    queryKey: ['fleets', page],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const query = { limit: perPage, offset: (page - 1) * perPage };
      return dataOf(api.GET('/api/upgrades', { params: { query } }));
    },
  });

export const fleetQuery = (id: string) =>
  queryOptions({
    queryKey: ['fleet', id],
    queryFn: () => dataOf(api.GET('/api/upgrades/{id}', { params: { path: { id } } })),
  });

/** A dry run: which tenant is in which ring. */
export const planQuery = (body: NewFleet) =>
  queryOptions({
    queryKey: ['fleet-plan', body],
    retry: false,
    staleTime: 0,
    async queryFn(): Promise<FleetPlan> {
      const answer = await dataOf(api.POST('/api/upgrades', { params: { query: { dry_run: 'true' } }, body }));
      if (!('dry_run' in answer)) throw new Error('A dry run was asked for');
      return answer;
    },
  });

/** Starts it. @throws ApiError */
export async function startFleet(body: NewFleet): Promise<string> {
  const answer = await dataOf(api.POST('/api/upgrades', { body }));
  if ('dry_run' in answer) throw new Error('No dry run was asked for');
  return answer.id;
}

type FleetAction = 'pause' | 'resume' | 'cancel';

/** @throws ApiError */
export const changeFleet = (id: string, action: FleetAction): Promise<Fleet> => {
  const options = { params: { path: { id } } };
  if (action === 'pause') return dataOf(api.POST('/api/upgrades/{id}/pause', options));
  return dataOf(
    action === 'resume'
      ? api.POST('/api/upgrades/{id}/resume', options)
      : api.POST('/api/upgrades/{id}/cancel', options),
  );
};
