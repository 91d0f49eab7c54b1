import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tenantsQuery } from '../../../api/queries.ts';

/** Tenants' names by id: upgrades have only short names, which outlive a deleted tenant. */
export function useNames(): ReadonlyMap<string, string> {
  const { data } = useQuery(tenantsQuery);
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}
