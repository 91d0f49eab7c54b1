import { type FoundColour, judgePages, rightPages } from '../../test/harness/accuracy/theme-accuracy.ts';
import type { Benchmark } from '../harness/harness.ts';

/** The share of stored pages whose HTML and CSS give the brand's primary colour. */
export const benchTheme: Benchmark = async () => {
  const pages = judgePages();
  const right = rightPages(pages);
  return {
    verdicts: [
      {
        what: 'pages with the brand’s primary colour within ΔE2000 5',
        ratios: [right / pages.length],
        limit: { atLeast: 0.9 },
      },
    ],
    lines: [`${right} of ${pages.length} pages`, ...pages.map(lineOf)],
  };
};

function lineOf({ page, expected, found, others, away }: FoundColour): string {
  const next = others[0] ? `, then ${others[0].hex}` : '';
  const what = found ? `${found.hex} by ${found.from.slice(0, 2).join(' and ')}${next}` : 'none';
  return `${away <= 5 ? 'right' : 'WRONG'} ${page}: ${expected}, found ${what} (ΔE2000 ${away.toFixed(1)})`;
}
