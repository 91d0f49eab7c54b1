import { randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { migrate } from '../shared/migration.js';

await migrate(async ({ database, environment, say }) => {
  const email = environment.ADMIN_EMAIL.toLowerCase();
  const [user] = await database.query('SELECT id FROM users WHERE role = ?', ['admin']);
  if (user) return say('administrator: there already');

  // Never a built-in password, and never printed, for the output is kept in deployment logs: without
  // ADMIN_PASSWORD the account waits for a reset.
  const password = environment.ADMIN_PASSWORD ?? randomBytes(24).toString('base64url');
  const salt = randomBytes(16);
  const hash = `scrypt$${salt.toString('base64url')}$${scryptSync(password, salt, 32).toString('base64url')}`;
  await database.run('INSERT INTO users (id, email, password_hash, role, created_at) VALUES (?, ?, ?, ?, ?)', [
    randomUUID(),
    email,
    hash,
    'admin',
    new Date().toISOString(),
  ]);
  say(
    `administrator: added, with ${environment.ADMIN_PASSWORD ? 'the password of ADMIN_PASSWORD' : 'a random password that is kept nowhere: reset it, or set ADMIN_PASSWORD before the first deployment'}`,
  );
});
