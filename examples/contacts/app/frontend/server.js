import { openDatabase } from '../shared/database/database.js';
import { readEnvironment } from '../shared/environment.js';
import { serve } from '../shared/serve.js';
import { createFrontend } from './app.js';

const environment = readEnvironment(process.env);
const database = openDatabase(environment.DATABASE_URL);

serve({
  app: createFrontend({ database, environment, log: console.log }),
  name: 'frontend',
  host: environment.HOST,
  port: environment.PORT ?? 3000,
  close: database.close,
});
