import { expect, test } from '@jest/globals';
import { deploymentState } from '../../../../src/features/deployments/operation.ts';
import type { LiveRelease } from '../../../../src/features/tenants/tenant.ts';
import { readUpgradeState } from '../../../../src/features/upgrades/single/state.ts';

const unit = { start: 'node server.js', port: 4100, health: '/health' };
const release: LiveRelease = {
  version: 'v1.1.0',
  commit: 'c'.repeat(40),
  key: 'v1.1.0-cccccccccccc',
  checkout: '/data/releases/v1.1.0',
  units: { api: unit, frontend: unit },
  database: 'sqlite',
};
const backup = { id: 'b1', path: null };
const kept = { ...backup, path: '/backups/b1.tar.gz' };
const environment = { path: '/data/acme/.env', backup: '/data/acme/.env.b' };

const prepared = { notes: {}, engineAway: false, release, hasMigrations: true, newDatabase: null };
const stopped = { ...prepared, before: 'running', backup: null, envFile: null };
const ready = { ...stopped, notes: { Prepare: 'built' }, backup: kept, envFile: environment };
const restores = kept;

/** What earlier versions added to the state, in the order of the steps, and what it means. */
const flagged: [patch: object, meaning: object][] = [
  [{}, { stage: 'requested', notes: {}, engineAway: false, refusal: null }],
  [
    { release, scripts: 2 },
    { stage: 'fetched', notes: {}, engineAway: false, refusal: null, release, hasMigrations: true },
  ],
  [{ madeDatabase: false }, { stage: 'prepared', ...prepared, refusal: null }],
  [{ before: 'running' }, { stage: 'stopped', ...stopped }],
  [{ backup }, { stage: 'stopped', ...stopped, backup }],
  [
    { backup: kept, environment, notes: { Prepare: 'built' } },
    { stage: 'stopped', ...ready },
  ],
  [{ migrating: true }, { stage: 'migrating', ...ready, restores }],
  [{ migrationsRun: ['1.js'] }, { stage: 'migrated', ...ready, restores, migrationsRun: ['1.js'] }],
  [{ started: true }, { stage: 'started', ...ready, restores, migrationsRun: ['1.js'] }],
  [{ written: 'b2' }, { stage: 'saving', ...ready, restores, written: 'b2' }],
  [
    { restoring: true, engineAway: true },
    { stage: 'restoring', ...ready, restores, engineAway: true },
  ],
  [{ restoring: false }, { stage: 'restored', ...ready, restores, engineAway: true }],
];

/** The state that an earlier version had saved after each step. */
const journals = flagged.map(([, meaning], index) => ({
  journal: JSON.parse(JSON.stringify(Object.assign({}, ...flagged.slice(0, index + 1).map(([patch]) => patch)))),
  meaning,
}));

test.each(journals)('the state $meaning.stage of an earlier version is read', ({ journal, meaning }) => {
  expect(readUpgradeState(journal)).toEqual(meaning);
});

test.each(journals)(
  'the state $meaning.stage of this version is read, without facts of earlier stages',
  ({ meaning }) => {
    expect(readUpgradeState(JSON.parse(JSON.stringify({ ...meaning, of: 'an earlier stage' })))).toEqual(meaning);
  },
);

test.each(journals)(
  'deployments find the release of an upgrade in the state $meaning.stage',
  ({ journal, meaning }) => {
    for (const state of [journal, meaning])
      expect(deploymentState.safeParse(state).data?.release?.key).toBe('release' in meaning ? release.key : undefined);
  },
);

const before = 'stopped';

test.each<[string, object, object]>([
  ['refused before the tenant was changed', { refusal: 'git_error' }, { stage: 'requested', refusal: 'git_error' }],
  [
    'of a version without a database',
    { release: { ...release, database: null }, scripts: 0 },
    { stage: 'prepared', hasMigrations: false, newDatabase: null },
  ],
  [
    'that creates the database: nothing is restored',
    { release, scripts: 1, madeDatabase: true, before, backup: kept, migrating: true },
    { stage: 'migrating', newDatabase: 'sqlite', before, restores: null },
  ],
  [
    'without migrations',
    { release, scripts: 0, madeDatabase: false, before, backup: kept, started: true },
    { stage: 'started', backup: kept, restores: null, migrationsRun: [] },
  ],
  [
    'whose rollback restores data before the new version started',
    { release, scripts: 1, madeDatabase: false, before, backup: kept, migrating: true, restoring: true },
    { stage: 'restoring', restores: kept },
  ],
])('an upgrade of an earlier version %s is read', (_title, journal, meaning) => {
  expect(readUpgradeState(journal)).toMatchObject(meaning);
});

test.each([{ stage: 'later' }, { stage: 'migrating', ...stopped }, { refusal: 'unheard of' }, null])(
  'a state that does not fit is refused: %j',
  (journal) => {
    expect(() => readUpgradeState(journal)).toThrow();
  },
);
