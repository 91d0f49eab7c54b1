import { migrate } from '../shared/migration.js';

// Ids are UUIDs and moments ISO 8601 texts: the same on both engines, and free of time zones.
await migrate(async ({ createTable, createIndex }) => {
  await createTable('persons', [
    'id CHAR(36) PRIMARY KEY',
    'first_name VARCHAR(100) NOT NULL',
    'last_name VARCHAR(100) NOT NULL',
    'address1 VARCHAR(200)',
    'address2 VARCHAR(200)',
    'city VARCHAR(100)',
    'state VARCHAR(50)',
    'zip VARCHAR(20)',
    'home_phone VARCHAR(40)',
    'cell_phone VARCHAR(40)',
    'email VARCHAR(254)',
    "status VARCHAR(10) NOT NULL DEFAULT 'active'",
    'created_at CHAR(24) NOT NULL',
    'updated_at CHAR(24) NOT NULL',
  ]);
  await createTable('person_keys', [
    'match_key CHAR(32) NOT NULL',
    'person_id CHAR(36) NOT NULL',
    'PRIMARY KEY (match_key, person_id)',
    'FOREIGN KEY (person_id) REFERENCES persons (id) ON DELETE CASCADE',
  ]);
  await createTable('tags', [
    'id CHAR(36) PRIMARY KEY',
    'name VARCHAR(100) NOT NULL UNIQUE',
    'created_at CHAR(24) NOT NULL',
  ]);
  await createTable('person_tags', [
    'person_id CHAR(36) NOT NULL',
    'tag_id CHAR(36) NOT NULL',
    'PRIMARY KEY (person_id, tag_id)',
    'FOREIGN KEY (person_id) REFERENCES persons (id) ON DELETE CASCADE',
    'FOREIGN KEY (tag_id) REFERENCES tags (id) ON DELETE CASCADE',
  ]);
  await createTable('events', [
    'id CHAR(36) PRIMARY KEY',
    'title VARCHAR(200) NOT NULL',
    'starts_at CHAR(24) NOT NULL',
    'location VARCHAR(200)',
    'description TEXT',
    'created_at CHAR(24) NOT NULL',
  ]);
  await createTable('communications', [
    'id CHAR(36) PRIMARY KEY',
    'person_id CHAR(36) NOT NULL',
    'channel VARCHAR(20) NOT NULL',
    'summary TEXT',
    'happened_at CHAR(24) NOT NULL',
    'created_at CHAR(24) NOT NULL',
    'FOREIGN KEY (person_id) REFERENCES persons (id) ON DELETE CASCADE',
  ]);
  await createTable('users', [
    'id CHAR(36) PRIMARY KEY',
    'email VARCHAR(254) NOT NULL UNIQUE',
    'password_hash VARCHAR(200) NOT NULL',
    'role VARCHAR(20) NOT NULL',
    'created_at CHAR(24) NOT NULL',
  ]);
  // MariaDB creates these for foreign keys automatically, SQLite does not.
  await createIndex('person_keys_person', 'person_keys', 'person_id');
  await createIndex('person_tags_tag', 'person_tags', 'tag_id');
  await createIndex('communications_person', 'communications', 'person_id');
});
