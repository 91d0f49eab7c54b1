import { migrate } from '../shared/migration.js';

await migrate(async ({ addColumn, database }) => {
  await addColumn('persons', 'county', 'VARCHAR(100)');
  await addColumn('persons', 'congressional_district', 'VARCHAR(20)');
  await addColumn('persons', 'precinct', 'VARCHAR(100)');
  await addColumn('persons', 'precinct_number', 'VARCHAR(40)');
  await addColumn('persons', 'precinct_status', 'VARCHAR(50)');
  await addColumn('persons', 'precinct_role', 'VARCHAR(50)');
  await addColumn('persons', 'whip_status', 'VARCHAR(50)');
  await addColumn('persons', 'notes', database.words.longText);
  await addColumn('persons', 'custom_fields', database.words.longText);
});
