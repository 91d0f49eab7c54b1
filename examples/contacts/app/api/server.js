import { openDatabase } from '../shared/database/database.js';
import { readEnvironment } from '../shared/environment.js';
import { serve } from '../shared/serve.js';
import { createApi } from './app.js';

const environment = readEnvironment(process.env);
const database = openDatabase(environment.DATABASE_URL);
const stopping = new AbortController();

serve({
  app: createApi({ database, environment, log: console.log, stopping: stopping.signal }),
  name: 'api',
  host: environment.HOST,
  port: environment.PORT ?? 8000,
  stopping,
  close: database.close,
});
