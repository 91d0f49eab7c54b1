import { constants } from 'node:os';

/** How a process ended; `unseen` where it was not our child (adopted from an earlier manager). */
export type Exit = { code: number | null; signal: string | null } | 'unseen';

/** The end of a unit, in words for its operator. */
export function reasonOf(exit: Exit): string {
  if (exit === 'unseen') return 'ended; its exit code was not seen, as an earlier manager had started it';
  if (exit.signal !== null) return `ended by ${exit.signal}`;
  // A shell tells the signal that ended its command by a code of 128 and more.
  const signal = Object.entries(constants.signals).find(([, number]) => exit.code === 128 + number)?.[0];
  return `exited with code ${exit.code}${signal ? ` (${signal})` : ''}`;
}
