import { expect, test } from '@jest/globals';
import { knownCauses, knownText } from '../../../dashboard/src/features/tenant/diagnosis/causes.ts';
import { texts } from '../../../src/adapters/runtimes/engine/images/image-problems.ts';

test('the dashboard has its own sentences for every cause with parameters', () => {
  expect(Object.keys(knownCauses).sort()).toEqual([...Object.keys(texts), 'machine_overloaded'].sort());
});

test('a sentence names its parameters as they are, whatever they contain', () => {
  const params = { image: 'evil/<b>{registry}</b>:1', registry: 'registry.example.org' };
  expect(knownText({ code: 'image_not_found', params }, 'title')).toBe(
    'The image evil/<b>{registry}</b>:1 does not exist at registry.example.org',
  );
  expect(knownText({ code: 'image_not_found', params: null }, 'title')).toBeUndefined();
  expect(knownText({ code: 'port_in_use', params }, 'title')).toBeUndefined();
});
