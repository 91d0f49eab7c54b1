/**
 * The life cycle of a unit's generations `G`, by which of them exist. `kept` is what was live before, for a rollback; `'none'`:
 * there was nothing.
 *
 *     state           staged  live  kept  entered by                       left by
 *     absent                              rollBack (of the first one)      stage
 *     staged first      x                 stage                            activate, rollBack
 *     committed                x          commit, rollBack                 stage
 *     staged            x      x          stage                            activate, rollBack, commit (drops the staged one)
 *     activated                x     x    activate                         commit, rollBack; stage, which commits first
 *
 * A runtime that cannot replace all slots at once (Docker) is in one of these after a crash, and continues from there:
 *
 *     activating        x            x    activate                         activate, rollBack, stage
 *     rolling back                   x    rollBack                         rollBack, stage
 */
export interface Slots<G> {
  staged?: G | undefined;
  live?: G | undefined;
  kept?: G | 'none' | undefined;
}

/** Ends the last change: what is live counts, or, while nothing is, what was kept. */
export function conclude<G>({ staged, live, kept }: Slots<G>): Slots<G> {
  return { staged, live: live ?? generationIn(kept) };
}

/** Starts a new change. */
export const stage = <G>(slots: Slots<G>, generation: G): Slots<G> => ({ ...conclude(slots), staged: generation });

/** A unit with nothing staged keeps its own. */
export function activate<G>(slots: Slots<G>): Slots<G> {
  const { staged, live, kept } = slots;
  return staged === undefined ? slots : { live: staged, kept: live ?? kept ?? 'none' };
}

/** While nothing is live, nothing can be committed. */
export const commit = <G>(slots: Slots<G>): Slots<G> => (slots.live === undefined ? slots : { live: slots.live });

/** Restores the state before `stage`: one staged over an activated generation is all that is dropped. */
export function rollBack<G>({ staged, live, kept }: Slots<G>): Slots<G> {
  const counts = kept === undefined || (staged !== undefined && live !== undefined);
  return { live: counts ? live : generationIn(kept) };
}

/** Whether a change was started and neither committed nor rolled back. */
export const isPending = ({ staged, kept }: Slots<unknown>): boolean => staged !== undefined || kept !== undefined;

const generationIn = <G>(kept: G | 'none' | undefined): G | undefined => (kept === 'none' ? undefined : kept);
