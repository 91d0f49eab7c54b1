import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tenantsQuery } from '../../../api/queries.ts';

/** Tenants' names by id: upgrades know short names alone, which stay when a tenant is gone. */
export function useNames(): ReadonlyMap<string, string> {
  const { data } = useQuery(tenantsQuery);
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}
