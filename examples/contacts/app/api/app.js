import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { eventStore } from '../shared/events.js';
import { personStore } from '../shared/persons/person-store.js';
import { requestLog } from '../shared/request-log.js';
import { segmentStore } from '../shared/segments.js';
import { readStats } from '../shared/stats.js';
import { tagStore } from '../shared/tags.js';
import { bulkImportRoutes } from './bulk-import/route.js';
import { communicationRoutes } from './communications.js';
import { docs } from './docs.js';
import { answerErrors } from './errors.js';
import { healthCheck } from './health.js';
import { requireKey } from './keys.js';
import { openapi } from './openapi.js';
import { personList, resource, segmentPersons } from './resource.js';
import { SCHEMAS } from './schemas.js';

const BODY_LIMIT = 1024 * 1024;

/**
 * @param {object} options
 * @param {import('../shared/database/database.js').Database} options.database
 * @param {import('../shared/environment.js').Environment} options.environment
 * @param {(line: string) => void} options.log
 * @param {AbortSignal} options.stopping ends an import that is under way
 */
export function createApi({ database, environment, log, stopping }) {
  const app = new Hono();
  answerErrors(app, database);
  app.use(requestLog(log));
  app.use(
    bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => c.json({ detail: 'The body is larger than a megabyte' }, 413) }),
  );

  app.get('/api/health', healthCheck(database, environment));
  app.get('/openapi.json', (c) => c.json(openapi(environment)));
  app.route('/docs', docs(environment));

  app.use('/api/*', requireKey(environment.API_KEYS));
  const persons = personStore(database);
  const segments = segmentStore(database);
  app.get('/api/stats', async (c) => c.json(await readStats(database)));
  app.get('/api/persons/count', async (c) => c.json(await persons.countByStatus()));
  app.route('/api/persons/bulk-import', bulkImportRoutes(database, environment.IMPORT_DIR, stopping));
  app.get('/api/persons', personList(persons));
  app.get('/api/segments/:id/persons', segmentPersons(segments, persons));
  app.route('/api/persons', communicationRoutes(database, persons));
  app.route('/api/persons', resource('persons', persons, SCHEMAS.persons));
  app.route('/api/tags', resource('tags', tagStore(database), SCHEMAS.tags));
  app.route('/api/events', resource('events', eventStore(database), SCHEMAS.events));
  app.route('/api/segments', resource('segments', segments, SCHEMAS.segments));
  return app;
}
