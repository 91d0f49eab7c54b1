import { migrate } from '../shared/migration.js';

await migrate(async ({ addColumn, createIndex, database }) => {
  await addColumn('persons', 'import_source', 'VARCHAR(200)');
  await addColumn('persons', 'import_date', 'CHAR(24)');
  await addColumn('persons', 'import_batch_id', 'VARCHAR(100)');
  await addColumn('persons', 'import_row', 'INTEGER');
  await addColumn('persons', 'import_filename', 'VARCHAR(255)');
  await addColumn('persons', 'original_data', database.words.longText);
  // What makes a repeated batch harmless: one row of it becomes at most one person.
  await createIndex('persons_import_row', 'persons', 'import_batch_id, import_row', { unique: true });
});
