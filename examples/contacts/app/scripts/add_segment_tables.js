import { migrate } from '../shared/migration.js';

await migrate(async ({ createTable }) => {
  await createTable('segments', [
    'id CHAR(36) PRIMARY KEY',
    'name VARCHAR(100) NOT NULL UNIQUE',
    'description TEXT',
    'created_at CHAR(24) NOT NULL',
  ]);
  await createTable('segment_rules', [
    'segment_id CHAR(36) NOT NULL',
    'field VARCHAR(40) NOT NULL',
    'value VARCHAR(200) NOT NULL',
    'PRIMARY KEY (segment_id, field)',
    'FOREIGN KEY (segment_id) REFERENCES segments (id) ON DELETE CASCADE',
  ]);
});
