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

const noRefusal = { refusal: null };
const states: object[] = [
  { stage: 'requested', notes: {}, engineAway: false, ...noRefusal },
  { stage: 'fetched', notes: {}, engineAway: false, ...noRefusal, release, hasMigrations: true },
  { stage: 'prepared', ...prepared, ...noRefusal },
  { stage: 'stopped', ...stopped },
  { stage: 'stopped', ...ready },
  { stage: 'migrating', ...ready, restores },
  { stage: 'migrated', ...ready, restores, migrationsRun: ['1.js'] },
  { stage: 'started', ...ready, restores, migrationsRun: ['1.js'] },
  { stage: 'saving', ...ready, restores, written: 'b2' },
  { stage: 'restoring', ...ready, restores, engineAway: true },
  { stage: 'restored', ...ready, restores, engineAway: true },
];

test('is requested while its journal is empty', () => {
  expect(readUpgradeState({})).toEqual(states[0]);
});

test.each(states)('the state $stage is read, without facts of other stages', (state) => {
  expect(readUpgradeState(JSON.parse(JSON.stringify({ ...state, of: 'another stage' })))).toEqual(state);
});

test.each(states)('deployments find the release of an upgrade in the state $stage', (state) => {
  expect(deploymentState.safeParse(state).data?.release?.key).toBe('release' in state ? release.key : undefined);
});

test.each([{ stage: 'later' }, { stage: 'migrating', ...stopped }, { refusal: 'unheard of' }])(
  'a state that does not fit is refused: %j',
  (journal) => {
    expect(() => readUpgradeState(journal)).toThrow();
  },
);
