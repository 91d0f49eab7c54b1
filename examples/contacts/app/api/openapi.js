import { z } from 'zod';
import { communicationInput } from '../shared/communications.js';
import { bulkImportRequest, checkRequest } from './bulk-import/request.js';
import { SCHEMAS } from './schemas.js';

const json = (schema) => ({ content: { 'application/json': { schema } } });
const bodyOf = (schema) => ({
  required: true,
  ...json(z.toJSONSchema(schema, { io: 'input', target: 'openapi-3.0' })),
});
const path = (name) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const query = (name, type) => ({ name, in: 'query', schema: { type } });
const PAGE = [query('limit', 'integer'), query('offset', 'integer')];

const FAILURE = {
  description: 'What was wrong',
  ...json({ type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } }),
};

/** An operation that needs a key. */
const operation = (tag, summary, rest = {}) => ({
  tags: [tag],
  summary,
  security: [{ key: [] }],
  responses: { 200: { description: 'Done' }, default: FAILURE },
  ...rest,
});

/** The description of this API; bodies come from the schemas that check them. */
export function openapi(environment) {
  return {
    openapi: '3.0.3',
    info: { title: `${environment.APP_NAME} API`, version: environment.APP_VERSION },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    paths: {
      '/api/health': { get: operation('service', 'Health, version and commit', { security: [] }) },
      '/api/stats': { get: operation('service', 'How much there is of everything') },
      '/api/persons/count': { get: operation('persons', 'Count by status') },
      '/api/persons/bulk-import': {
        post: operation('persons', 'Import a CSV file of the import directory', {
          requestBody: bodyOf(bulkImportRequest),
        }),
      },
      '/api/persons/bulk-import/check': {
        post: operation('persons', 'Report which people of a CSV file exist already', {
          requestBody: bodyOf(checkRequest),
        }),
      },
      '/api/persons/bulk-import/{batch_id}': {
        parameters: [path('batch_id')],
        delete: operation('persons', 'Take the people of an imported batch out again'),
      },
      ...Object.fromEntries(Object.entries(SCHEMAS).flatMap(([plural, input]) => recordPaths(plural, input))),
      '/api/persons/{id}/communications': {
        parameters: [path('id')],
        get: operation('persons', 'What was said to a person, the latest first'),
        post: operation('persons', 'Note a communication', { requestBody: bodyOf(communicationInput) }),
      },
      '/api/segments/{id}/persons': {
        parameters: [path('id'), ...PAGE],
        get: operation('segments', 'Who belongs to a segment now'),
      },
    },
  };
}

function recordPaths(plural, input) {
  const filters = plural === 'persons' ? [query('search', 'string'), query('tag', 'string')] : [];
  const list = {
    get: operation(plural, `List ${plural}`, { parameters: [...PAGE, ...filters] }),
    post: operation(plural, 'Create one', {
      requestBody: bodyOf(input),
      responses: { 201: { description: 'Created' }, default: FAILURE },
    }),
  };
  const one = {
    parameters: [path('id')],
    get: operation(plural, 'Read one'),
    put: operation(plural, 'Change any of its fields', { requestBody: bodyOf(input.partial()) }),
    delete: operation(plural, 'Delete one', { responses: { 204: { description: 'Deleted' }, default: FAILURE } }),
  };
  return [
    [`/api/${plural}`, list],
    [`/api/${plural}/{id}`, one],
  ];
}
