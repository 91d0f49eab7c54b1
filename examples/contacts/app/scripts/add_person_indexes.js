import { migrate } from '../shared/migration.js';

await migrate(async ({ createIndex }) => {
  await createIndex('persons_name', 'persons', 'last_name, first_name, id');
  await createIndex('persons_email', 'persons', 'email');
  await createIndex('persons_city', 'persons', 'city');
  await createIndex('persons_zip', 'persons', 'zip');
  await createIndex('persons_precinct', 'persons', 'precinct');
  await createIndex('persons_status', 'persons', 'status');
});
