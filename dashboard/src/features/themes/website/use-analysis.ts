import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { analysesQuery, analysisQuery } from '../queries.ts';

/** The analyses of a tenant's websites, and the open one: the latest unless the URL names another. */
export function useAnalysis(tenantId: string) {
  const [params, setParams] = useSearchParams();
  const list = useQuery(analysesQuery(tenantId));
  const all = list.data?.analyses ?? [];
  const asked = params.get('analysis');
  const openId = all.some((one) => one.analysis_id === asked) ? asked : (all[0]?.analysis_id ?? null);
  const { data: analysis, error } = useQuery({
    ...analysisQuery(tenantId, openId ?? ''),
    enabled: openId !== null,
  });
  return {
    all,
    /** Whether the list is loaded. */
    known: list.data !== undefined,
    analysis,
    error: list.error ?? error,
    /** Opens one; null: the latest. */
    open(id: string | null): void {
      // The colours being chosen are in the URL, too, and the router does not know of them.
      const next = new URLSearchParams(window.location.search);
      if (id === null) next.delete('analysis');
      else next.set('analysis', id);
      setParams(next, { preventScrollReset: true, replace: true });
    },
  };
}
