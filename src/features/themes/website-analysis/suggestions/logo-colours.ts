import type { LogoCandidate } from '../../../../adapters/website/website.ts';
import type { Hex } from './colour.ts';
import { coloursIn } from './css/values.ts';

const ofKind: Record<LogoCandidate['kind'], number> = { logo: 1, icon: 0.6, preview: 0 };
/** A drawing that is larger is a picture rather than a logo. */
const largestLogo = 200_000;

/** The colours that drawn logos are filled with, and how much of all that is drawn each is given (0 to 1, by count of shapes). */
export function logoColours(logos: readonly LogoCandidate[]): { hex: Hex; share: number }[] {
  const found: { hex: Hex; share: number }[] = [];
  const drawn = logos.filter(({ svg, kind }) => svg !== null && svg.length <= largestLogo && ofKind[kind] > 0);
  for (const { svg, kind } of drawn.slice(0, 3)) {
    const colours = [...(svg ?? '').matchAll(/(?:fill|stroke|stop-color)\s*[=:]\s*["']?\s*([^"';>]+)/gi)].flatMap(
      ([, value]) => coloursIn(value ?? ''),
    );
    for (const hex of colours) found.push({ hex, share: ofKind[kind] / colours.length / Math.min(3, drawn.length) });
  }
  return found;
}
