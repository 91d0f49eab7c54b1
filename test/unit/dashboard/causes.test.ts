import { expect, test } from '@jest/globals';
import { preflightCauses } from '../../../dashboard/src/features/system/preflight/causes.ts';
import { knownCauses, knownText } from '../../../dashboard/src/features/tenant/diagnosis/causes.ts';
import { texts } from '../../../src/adapters/runtimes/engine/images/image-problems.ts';
import { causeTexts as ofDiagnosis } from '../../../src/features/diagnosis/cause-texts.ts';
import { scriptTexts } from '../../../src/features/diagnosis/facts/start-script.ts';
import { causeTexts } from '../../../src/features/preflight/causes.ts';

test('the dashboard has its own sentences for every cause with parameters', () => {
  const codes = [...Object.keys(texts), 'machine_overloaded', ...Object.keys(ofDiagnosis), ...Object.keys(scriptTexts)];
  expect(Object.keys(knownCauses).sort()).toEqual(codes.sort());
});

test('the dashboard has its own sentences for every cause that a check of the host finds', () => {
  const shown = { ...knownCauses, ...preflightCauses };
  expect(Object.keys(preflightCauses).filter((code) => !(code in causeTexts))).toEqual([]);
  for (const [code, { title, remedy }] of Object.entries(causeTexts)) {
    const names = (texts: string[]) => [...new Set(texts.join(' ').match(/\{\w+\}/g))].sort();
    expect([code, names([shown[code]?.title ?? '', shown[code]?.remedy ?? ''])]).toEqual([
      code,
      names([title, remedy]),
    ]);
  }
});

test('a cause says how often a unit crashed, and a failed start says why', () => {
  const params = { unit: 'API', error: 'exit 3', restarts: '3', minutes: '4' };
  for (const code of ['unit_crashed', 'uncaught_exception'])
    expect(knownText({ code, params }, 'title')).toBe('The API crashes: exit 3, 3 restarts in 4 min');
  const start = { action: 'start', cause: 'The API crashes: TypeError: x', cause_code: 'uncaught_exception' };
  const cause = { code: 'start_failed', params: { ...start, unit: 'API', error: 'TypeError: x' } };
  expect(knownText(cause, 'title')).toBe('The last start failed: The API crashes: TypeError: x');
  expect(knownText({ code: 'start_failed', params: { ...start, cause_code: 'unit_crashed' } }, 'title')).toBe(
    'The last start failed: The API crashes: TypeError: x',
  );
  expect(knownText({ code: 'unit_crashed', params: {} }, 'title')).toBeUndefined();
});

test('a sentence names its parameters as they are, whatever they contain', () => {
  const params = { image: 'evil/<b>{registry}</b>:1', registry: 'registry.example.org' };
  expect(knownText({ code: 'image_not_found', params }, 'title')).toBe(
    'The image evil/<b>{registry}</b>:1 does not exist at registry.example.org',
  );
  expect(knownText({ code: 'image_not_found', params: null }, 'title')).toBeUndefined();
  expect(knownText({ code: 'port_in_use', params }, 'title')).toBeUndefined();
});
