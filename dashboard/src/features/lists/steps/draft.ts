import { useState } from 'react';
import type { Mapping } from '../queries.ts';

type Change = Pick<Mapping, 'target' | 'transform'>;

const storageKey = (jobId: string): string => `tenantry.columns.${jobId}`;

function kept(jobId: string): ReadonlyMap<string, Change> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(storageKey(jobId)) ?? '[]') as [string, Change][]);
  } catch {
    return new Map();
  }
}

/** Discards unsaved mappings of a list: its columns have changed. */
export const forgetDraft = (jobId: string): void => sessionStorage.removeItem(storageKey(jobId));

export interface Draft {
  /** The values to be saved. */
  mappings: Mapping[];
  changed: boolean;
  change(source: string, to: Change): void;
  /** Sets the joining transform where several columns share a field. */
  join(sources: readonly string[]): void;
  reset(): void;
}

/**
 * Unsaved changes of a list's mappings: the manager accepts only complete ones. The browser stores them, so that a refresh loses
 * nothing.
 */
export function useDraft(jobId: string, served: readonly Mapping[]): Draft {
  const [changes, setChanges] = useState(() => kept(jobId));
  const keep = (next: ReadonlyMap<string, Change>): void => {
    setChanges(next);
    if (next.size === 0) forgetDraft(jobId);
    else sessionStorage.setItem(storageKey(jobId), JSON.stringify([...next]));
  };
  const mappings = served.map((mapping) => changedBy(mapping, changes.get(mapping.source)));
  return {
    mappings,
    changed: mappings.some((mapping, at) => mapping !== served[at]),
    change: (source, { target, transform }) =>
      keep(new Map(changes).set(source, { target, ...(transform ? { transform } : {}) })),
    join(sources) {
      const next = new Map(changes);
      for (const { source, target } of mappings)
        if (sources.includes(source)) next.set(source, { target, transform: 'join' });
      keep(next);
    },
    reset: () => keep(new Map()),
  };
}

/** A user's own choice needs neither reason nor confidence. */
function changedBy(mapping: Mapping, change: Change | undefined): Mapping {
  if (!change || (change.target === mapping.target && change.transform === mapping.transform)) return mapping;
  const { source, alternatives } = mapping;
  const { target, transform } = change;
  return {
    source,
    target,
    confidence: 1,
    ...(transform ? { transform } : {}),
    ...(alternatives ? { alternatives } : {}),
  };
}
