import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../shared/database/database.js';
import { migrateAll, onEachEngine, program, temporaryDatabase } from './support.js';

onEachEngine('migrations', (engine) => {
  test('add everything once, and nothing when run again', async (t) => {
    const variables = { DATABASE_URL: await temporaryDatabase(t, engine) };
    assert.doesNotMatch(await migrateAll(variables), /there already/);
    assert.doesNotMatch(await migrateAll(variables), /: added/);

    const database = openDatabase(variables.DATABASE_URL);
    t.after(database.close);
    const columns = await database.columns('persons');
    for (const column of ['first_name', 'whip_status', 'custom_fields', 'import_batch_id', 'original_data'])
      assert.ok(columns.includes(column), column);
    assert.ok((await database.indexes('persons')).includes('persons_name'));
    assert.equal((await database.query('SELECT COUNT(*) AS count FROM users'))[0].count, 1);
  });

  test('take up a script that was cut off', async (t) => {
    const variables = { DATABASE_URL: await temporaryDatabase(t, engine) };
    const database = openDatabase(variables.DATABASE_URL);
    t.after(database.close);
    await migrateAll(variables);
    await database.run('DROP TABLE segment_rules');
    const { stdout } = await program('scripts/add_segment_tables.js', variables);
    assert.equal(stdout, 'table segments: there already\ntable segment_rules: added\n');
  });

  test('keep no password that anybody knows', async (t) => {
    const variables = { DATABASE_URL: await temporaryDatabase(t, engine), ADMIN_PASSWORD: 'from the environment' };
    assert.doesNotMatch(await migrateAll(variables), /from the environment/);
    const database = openDatabase(variables.DATABASE_URL);
    t.after(database.close);
    assert.match((await database.query('SELECT password_hash FROM users'))[0].password_hash, /^scrypt\$/);
  });
});

test('a migration that fails ends with 1 and says why', async () => {
  const failing = program('scripts/create_schema.js', { DATABASE_URL: 'sqlite:/nowhere/at/all.db' });
  await assert.rejects(failing, { code: 1, stderr: /^failed: unable to open database file/ });
});
