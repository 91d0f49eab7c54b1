import { expect, test } from '@jest/globals';
import {
  activate,
  commit,
  conclude,
  isPending,
  rollBack,
  type Slots,
  stage,
} from '../../../../src/adapters/runtimes/life-cycle.ts';

const shown = (slots: Slots<string>): string =>
  (['staged', 'live', 'kept'] as const).flatMap((slot) => (slots[slot] ? `${slot} ${slots[slot]}` : [])).join(', ');

const states: Record<string, Slots<string>> = {
  absent: {},
  'staged first': { staged: 'b' },
  committed: { live: 'a' },
  staged: { staged: 'b', live: 'a' },
  activated: { live: 'b', kept: 'a' },
  'activated first': { live: 'b', kept: 'none' },
  activating: { staged: 'b', kept: 'a' },
  'activating first': { staged: 'b', kept: 'none' },
  'rolling back': { kept: 'a' },
  'rolling back the first': { kept: 'none' },
  'staged over activated': { staged: 'c', live: 'b', kept: 'a' },
};

test.each([
  ['absent', 'staged c', '', '', '', false],
  ['staged first', 'staged c', 'live b, kept none', 'staged b', '', true],
  ['committed', 'staged c, live a', 'live a', 'live a', 'live a', false],
  ['staged', 'staged c, live a', 'live b, kept a', 'live a', 'live a', true],
  ['activated', 'staged c, live b', 'live b, kept a', 'live b', 'live a', true],
  ['activated first', 'staged c, live b', 'live b, kept none', 'live b', '', true],
  ['activating', 'staged c, live a', 'live b, kept a', 'staged b, kept a', 'live a', true],
  ['activating first', 'staged c', 'live b, kept none', 'staged b, kept none', '', true],
  ['rolling back', 'staged c, live a', 'kept a', 'kept a', 'live a', true],
  ['rolling back the first', 'staged c', 'kept none', 'kept none', '', true],
  ['staged over activated', 'staged c, live b', 'live c, kept b', 'live b', 'live b', true],
])('a unit that is %s', (state, staged, activated, committed, rolledBack, pending) => {
  const slots = states[state] ?? {};
  expect(shown(stage(slots, 'c'))).toBe(staged);
  expect(shown(activate(slots))).toBe(activated);
  expect(shown(commit(slots))).toBe(committed);
  expect(shown(rollBack(slots))).toBe(rolledBack);
  expect(isPending(slots)).toBe(pending);
});

test.each([stage, activate, commit, rollBack, conclude])('%p is idempotent', (event) => {
  for (const slots of Object.values(states)) {
    const once = event(slots, 'c');
    expect(event(once, 'c')).toEqual(once);
  }
});
