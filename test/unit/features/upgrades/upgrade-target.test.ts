import { describe, expect, test } from '@jest/globals';
import { chooseTarget, isNewer, latestVersion } from '../../../../src/features/upgrades/single/target.ts';

const tags = ['v1.0.0', 'v1.2.0', 'v1.10.0', 'v2.0.0-rc.1', 'nightly'];
const refs = { tags: new Map(tags.map((tag) => [tag, `commit of ${tag}`])), head: { branch: 'main', commit: 'head' } };
const untagged = { tags: new Map(), head: { branch: 'main', commit: 'head' } };
const at = (version: string | null, commit = `commit of ${version}`) => ({ version, commit });
const carefully = { allowDowngrade: false };

describe('the latest version', () => {
  test('is the highest release by semantic order, never a pre-release', () => {
    expect(latestVersion(refs, at('v1.0.0'))).toEqual(at('v1.10.0'));
    expect(latestVersion(refs, null)).toEqual(at('v1.10.0'));
  });
  test('of a repository without tags is its head, but not for a tenant that runs a tag', () => {
    expect(latestVersion(untagged, at(null, 'old'))).toEqual(at(null, 'head'));
    expect(latestVersion(untagged, null)).toEqual(at(null, 'head'));
    expect(latestVersion(untagged, at('v1.0.0'))).toBeUndefined();
    expect(latestVersion({ tags: new Map(), head: null }, null)).toBeUndefined();
  });
});

describe('the target of an upgrade', () => {
  test.each([
    ['v1.0.0', null, 'v1.10.0'],
    ['v1.0.0', 'v1.2.0', 'v1.2.0'],
    ['v1.10.0', 'v2.0.0-rc.1', 'v2.0.0-rc.1'],
  ])('from %s to %s is %s', (from, asked, to) => {
    expect(chooseTarget(refs, asked, at(from), carefully)).toEqual(at(to));
  });
  test('from a branch’s head is the first release', () => {
    expect(chooseTarget(refs, null, at(null, 'commit of v1.10.0'), carefully)).toEqual(at('v1.10.0'));
    expect(chooseTarget(untagged, null, at(null, 'old'), carefully)).toEqual(at(null, 'head'));
  });
  test('may be a moved tag', () => {
    expect(chooseTarget(refs, 'v1.10.0', at('v1.10.0', 'before'), carefully)).toEqual(at('v1.10.0'));
    expect(chooseTarget(refs, null, at('v1.10.0', 'before'), carefully)).toEqual(at('v1.10.0'));
  });
  test.each([
    ['v1.10.0', null, 'already_latest'],
    ['v1.2.0', 'v1.2.0', 'already_latest'],
    ['v2.0.0-rc.1', null, 'already_latest'],
    ['v1.2.0', 'v1.0.0', 'downgrade_refused'],
    ['v1.2.0', 'v9.9.9', 'not_found'],
    ['v1.2.0', 'nightly', 'not_found'],
    ['v1.2.0', 'main', 'not_found'],
  ])('from %s to %s is rejected: %s', (from, asked, code) => {
    expect(() => chooseTarget(refs, asked, at(from), carefully)).toThrow(expect.objectContaining({ code }));
  });
  test('with an older version needs explicit permission', () => {
    expect(chooseTarget(refs, 'v1.0.0', at('v1.2.0'), { allowDowngrade: true })).toEqual(at('v1.0.0'));
  });
  test('in a repository without releases is the head once, then nothing', () => {
    expect(() => chooseTarget(untagged, null, at(null, 'head'), carefully)).toThrow(
      expect.objectContaining({ code: 'already_latest' }),
    );
    expect(() => chooseTarget(untagged, null, at('v1.0.0'), carefully)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});

test('newer is later in the order of versions, or the same tag at another commit', () => {
  expect(isNewer(at('v1.10.0'), at('v1.9.0'))).toBe(true);
  expect(isNewer(at('v1.0.0'), at('v1.0.0'))).toBe(false);
  expect(isNewer(at('v1.0.0', 'other'), at('v1.0.0'))).toBe(true);
  expect(isNewer(at('v1.0.0-rc.1'), at('v1.0.0'))).toBe(false);
  expect(isNewer(at(null, 'head'), at('v1.0.0'))).toBe(true);
});
