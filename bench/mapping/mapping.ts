import { type LayoutSet, layoutsOf } from '../../test/fixtures/list-layouts/layouts.ts';
import { type Judged, judge, shareRight } from '../../test/harness/accuracy/mapping-accuracy.ts';
import type { Benchmark, Findings } from '../harness/harness.ts';

const titles: Record<LayoutSet, string> = {
  public: 'layouts written down by others',
  'hand-made': 'layouts made with the rules',
  'held-out': 'layouts measured once before the rules learnt from them',
};
const confidences = [0.95, 0.9, 0.8, 0.7, 0.5];

/** The share of columns that the rules map as a careful person would, and whether the confidence values are right. */
export const benchMapping: Benchmark = async () => {
  const verdicts: Findings['verdicts'] = [];
  const lines: string[] = [];
  for (const set of ['public', 'hand-made', 'held-out'] as const) {
    const judged = await judge(layoutsOf(set));
    const sure = shareRight(judged, 0.9);
    verdicts.push(
      { what: `${titles[set]}: columns right`, ratios: [shareRight(judged).share], limit: { atLeast: 0.95 } },
      {
        what: `${titles[set]}: right of those suggested at 0.9 or above`,
        ratios: [sure.share],
        limit: { atLeast: 0.97 },
      },
    );
    lines.push(`${titles[set]}: ${judged.length} columns`, ...calibration(judged), ...misses(judged));
  }
  return { verdicts, lines };
};

function calibration(judged: readonly Judged[]): string[] {
  return confidences.map((least) => {
    const { share, columns } = shareRight(judged, least);
    return `  confidence ≥ ${least}: ${(share * 100).toFixed(1)} % of ${columns} right`;
  });
}

function misses(judged: readonly Judged[]): string[] {
  return judged
    .filter(({ right }) => !right)
    .map(
      ({ layout, header, suggested, acceptable }) =>
        `  ${layout}: ${JSON.stringify(header)} → ${suggested.target} (${suggested.confidence}), acceptable: ${acceptable.join(', ')}`,
    );
}
