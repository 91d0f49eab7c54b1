import { Hono } from 'hono';
import { communicationInput, communicationStore } from '../shared/communications.js';
import { readBody } from './input.js';
import { present } from './resource.js';

/** What was said to whom, under `/api/persons/:id/communications`. */
export function communicationRoutes(database, persons) {
  const communications = communicationStore(database);
  const routes = new Hono();
  routes.get('/:id/communications', async (c) => {
    const { id } = present(await persons.read(c.req.param('id')));
    return c.json({ communications: await communications.ofPerson(id) });
  });
  routes.post('/:id/communications', async (c) => {
    const { id } = present(await persons.read(c.req.param('id')));
    return c.json(await communications.create(id, await readBody(c, communicationInput)), 201);
  });
  return routes;
}
