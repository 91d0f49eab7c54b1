import { useState } from 'react';
import type { Correction } from '../queries.ts';

/** A cell that the user has changed and not saved yet. */
export interface CellDraft {
  row: number;
  column: string;
  before: string;
  value: string;
  /** Whether all cells of the column with the same value change. */
  everywhere: boolean;
}

export interface CellDrafts {
  all: readonly CellDraft[];
  of(row: number, column: string): CellDraft | undefined;
  set(draft: CellDraft): void;
  discard(): void;
}

const keyOf = ({ row, column }: Pick<CellDraft, 'row' | 'column'>): string => `${row} ${column}`;

/** Unsaved corrections of cells. */
export function useCellDrafts(): CellDrafts {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, CellDraft>>(new Map());
  return {
    all: [...drafts.values()],
    of: (row, column) => drafts.get(keyOf({ row, column })),
    set: (draft) =>
      setDrafts((before) => {
        const next = new Map(before);
        if (draft.value === draft.before) next.delete(keyOf(draft));
        else next.set(keyOf(draft), draft);
        return next;
      }),
    discard: () => setDrafts(new Map()),
  };
}

/** As the manager takes them: those of single cells last, so that they win. */
export const correctionsOf = (drafts: readonly CellDraft[]): Correction[] => [
  ...drafts
    .filter(({ everywhere }) => everywhere)
    .map(({ column, before, value }) => ({ column, find: before, replace: value, match: 'cell' as const })),
  ...drafts.filter(({ everywhere }) => !everywhere).map(({ column, row, value }) => ({ column, row, value })),
];
