import { sizeText } from '../../../components/data/size.ts';
import { number } from '../../../lib/figures.ts';

/** How a chart shows its values. */
export type Unit = 'seconds' | 'ratio' | 'cores' | 'bytes' | 'count';

const texts: Record<Unit, (value: number) => string> = {
  seconds: (value) => (value < 1 ? `${number(value * 1_000, value < 0.01 ? 1 : 0)} ms` : `${number(value, 2)} s`),
  // Rounded down: 100 % means no failed check.
  ratio: (value) => `${number(Math.floor(value * 10_000) / 100, 2)} %`,
  cores: (value) => number(value, 3),
  bytes: sizeText,
  count: (value) => number(value, 1),
};

export const unitText = (unit: Unit, value: number): string => texts[unit](value);
