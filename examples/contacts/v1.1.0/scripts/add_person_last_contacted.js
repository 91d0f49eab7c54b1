import { migrate } from '../shared/migration.js';

await migrate(async ({ database, addColumn, createIndex, say }) => {
  await addColumn('persons', 'last_contacted_at', 'CHAR(24)');
  await createIndex('persons_last_contacted', 'persons', 'last_contacted_at');
  // Reads only people without a date, so that a later run, or one after an interruption, only adds what is missing.
  const filled = await database.run(
    `UPDATE persons SET last_contacted_at =
       (SELECT MAX(happened_at) FROM communications WHERE person_id = persons.id)
     WHERE last_contacted_at IS NULL AND id IN (SELECT person_id FROM communications)`,
  );
  say(`column persons.last_contacted_at: filled for ${filled}`);
});
