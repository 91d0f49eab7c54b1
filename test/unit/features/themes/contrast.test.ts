import { describe, expect, test } from '@jest/globals';
import { oklch, wcagContrast } from 'culori';
import fc from 'fast-check';
import { contrastPairs, contrastWarnings, nearestColour } from '../../../../src/features/themes/editor/contrast.ts';
import { defaultColours } from '../../../../src/features/themes/editor/palette.ts';

const hex = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0').toUpperCase()}`);

describe('contrast of themes', () => {
  test('the default colours pass', () => {
    expect(contrastWarnings(defaultColours)).toEqual([]);
  });

  test('reports a pair below WCAG 2.2 AA, with a colour of the same hue that passes', () => {
    const [warning, ...others] = contrastWarnings({ ...defaultColours, primary: '#FFD400' });
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ field: 'primary_color', against: '#FFFFFF', required: 4.5, contrast: 1.43 });
    expect(wcagContrast(warning?.suggestion ?? '', '#FFFFFF')).toBeGreaterThanOrEqual(4.5);
    expect(Math.abs((oklch(warning?.suggestion ?? '')?.h ?? 0) - (oklch('#FFD400')?.h ?? 0))).toBeLessThan(5);
    expect(warning?.message).toContain('WCAG 2.2 AA, 1.4.3');
  });

  test('the secondary colour may have white or dark text on it, the accent needs 3:1', () => {
    expect(contrastWarnings({ ...defaultColours, secondary: '#E0E7FF' })).toEqual([]);
    expect(contrastWarnings({ ...defaultColours, secondary: '#7A7A7A' })).toMatchObject([{ field: 'secondary_color' }]);
    expect(contrastWarnings({ ...defaultColours, accent: '#D97706' })).toEqual([]);
    expect(contrastWarnings({ ...defaultColours, accent: '#F59E0B' })).toMatchObject([
      { field: 'accent_color', required: 3 },
    ]);
  });

  test('reports each colour with its counterpart, passing or not', () => {
    const pairs = contrastPairs({ ...defaultColours, accent: '#F59E0B', secondary: '#E0E7FF' });
    expect(pairs.map(({ field, passes }) => [field, passes])).toEqual([
      ['text_color', true],
      ['primary_color', true],
      ['secondary_color', true],
      ['accent_color', false],
      ['sidebar_color', true],
    ]);
    expect(pairs[2]).toMatchObject({ against: defaultColours.text, required: 4.5 });
    expect(pairs[3]).toMatchObject({ against: '#FFFFFF', required: 3, contrast: 2.14 });
  });

  test('rounding never makes a failing contrast look as if it passed', () => {
    fc.assert(
      fc.property(hex, hex, hex, (primary, secondary, text) => {
        for (const { contrast, required } of contrastWarnings({ ...defaultColours, primary, secondary, text }))
          expect(contrast).toBeLessThan(required);
      }),
      { numRuns: 100 },
    );
  });

  test('the suggested colour passes and is hardly darker than needed', () => {
    fc.assert(
      fc.property(hex, (colour) => {
        const passes = (candidate: string) => wcagContrast(candidate, '#FFFFFF') >= 4.5;
        const nearest = nearestColour(colour, passes);
        expect(passes(nearest)).toBe(true);
        // Not much darker than needed.
        if (nearest !== colour) expect(wcagContrast(nearest, '#FFFFFF')).toBeLessThan(4.7);
      }),
      { numRuns: 200 },
    );
  });
});
