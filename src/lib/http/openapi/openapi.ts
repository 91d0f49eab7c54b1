import {
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { type ErrorCode, statusOfCode } from '../../errors.ts';
import { errorBody } from '../responses/errors.ts';
import { roles, rolesWith } from '../routing/roles.ts';
import type { Route, RouteDefinition } from '../routing/route.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The OpenAPI 3.1 description of the route table. */
export function describeRoutes(
  routes: readonly Route[],
  options: {
    title: string;
    version: string;
    description: string;
  },
): OpenApiDocument {
  const definitions = routes.map((route) => route.definition);
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const definition of definitions) {
    paths[definition.path] = { ...paths[definition.path], [definition.method]: operationOf(definition) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: `${options.description}\n\n${errorTable}`,
    },
    servers: [{ url: '/' }],
    tags: [...new Set(definitions.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: paths as ZodOpenApiPathsObject,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token from `POST /api/auth/login`, or a personal API token (`tnt_…`).',
        },
        queryToken: {
          type: 'apiKey',
          in: 'query',
          name: 'access_token',
          description: 'The same token for event streams of scripts.',
        },
        ticket: {
          type: 'apiKey',
          in: 'query',
          name: 'ticket',
          description: 'A one-time ticket from `POST /api/auth/tickets`, for downloads and streams of browsers.',
        },
      },
    },
  });
}

/** `get /api/tenants/{id}/config` → `getTenantsByIdConfig`: as stable and as unique as method and path. */
function operationId({ method, path }: RouteDefinition): string {
  const words = path
    .replace(/^\/(api\/)?/, '')
    .replaceAll(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function operationOf(definition: RouteDefinition): ZodOpenApiOperationObject {
  const { query } = definition;
  const parameters = pathParameters(definition.path);
  const { body } = definition;
  return {
    operationId: operationId(definition),
    tags: [definition.tag],
    summary: definition.summary,
    description: [definition.description, accessText(definition)].filter(Boolean).join('\n\n'),
    security: security(definition),
    ...(query ? { requestParams: { query } } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse({}).success,
            content: Object.fromEntries(bodyTypes(definition).map((type) => [type, { schema: body }])),
          },
        }
      : {}),
    responses: {
      ...successResponses(definition),
      ...errorResponses(definition),
    },
  };
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    in: 'path' as const,
    name,
    required: true,
    schema: { type: 'string' as const },
  }));

const bodyTypes = ({ bodyType }: RouteDefinition): string[] => {
  if (bodyType === 'multipart') return ['multipart/form-data'];
  return bodyType === 'form' ? ['application/json', 'application/x-www-form-urlencoded'] : ['application/json'];
};

function accessText({ access, ticket, streamWhen }: RouteDefinition): string {
  if (access === 'public') return 'Open without a token.';
  const allowed = rolesWith(access);
  const role = allowed.length === roles.length ? 'Any role.' : `Role: ${allowed.join(' or ')}.`;
  const inQuery = [
    ...(ticket ? ['A one-time ticket is accepted.'] : []),
    ...(streamWhen ? [`With \`${streamWhen}=true\`, \`access_token\` in the query is accepted.`] : []),
  ];
  return [role, ...inQuery].join(' ');
}

const security = ({ access, ticket, streamWhen }: RouteDefinition): Record<string, string[]>[] => {
  if (access === 'public') return [];
  return [{ bearer: [] }, ...(ticket ? [{ ticket: [] }] : []), ...(streamWhen ? [{ queryToken: [] }] : [])];
};

function successResponses({ responses }: RouteDefinition) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const forms = 'alsoAs' in response && response.alsoAs ? [response, response.alsoAs] : [response];
      const content: Record<string, ZodOpenApiMediaTypeObject> = {};
      for (const form of forms) {
        if ('schema' in form) content['application/json'] = { schema: form.schema };
        else content[form.mediaType] = { schema: { type: 'string' } };
      }
      return [status, { description: forms.map(({ description = 'Success' }) => description).join('; or '), content }];
    }),
  );
}

/** The codes a route can answer with: what follows from its form, and what its feature says. */
function codesOf(definition: RouteDefinition): ErrorCode[] {
  const { access, body, bodyType, query, path } = definition;
  const codes: ErrorCode[] = ['internal_error', 'database_unavailable', 'shutting_down', ...(definition.errors ?? [])];
  if (access !== 'public') codes.push('unauthorized', 'token_expired');
  if (access !== 'public' && rolesWith(access).length < roles.length) codes.push('forbidden');
  if (access !== 'public' && !definition.duringPasswordChange) codes.push('password_change_required');
  if (path.includes('{')) codes.push('not_found');
  if (query || body) codes.push('validation_error');
  if (body) codes.push('payload_too_large', 'unsupported_media_type');
  if (body && bodyType !== 'multipart') codes.push('malformed_json');
  const all = Object.keys(statusOfCode) as ErrorCode[];
  return all.filter((code) => codes.includes(code));
}

function errorResponses(definition: RouteDefinition) {
  return Object.fromEntries(
    byStatus(codesOf(definition)).map(([status, codes]) => [
      String(status),
      {
        description: `Code: ${codes.map((code) => `\`${code}\``).join(', ')}`,
        content: { 'application/json': { schema: errorBody } },
      },
    ]),
  );
}

function byStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  const groups = Object.groupBy(codes, (code) => statusOfCode[code]);
  return Object.entries(groups).map(([status, group]) => [Number(status), group ?? []]);
}

const errorTable = [
  'Every error is answered with `{error, detail, code, timestamp}`; a `validation_error` adds `issues`. All codes:',
  '',
  '| status | codes |',
  '|---|---|',
  ...byStatus(Object.keys(statusOfCode) as ErrorCode[]).map(([status, codes]) => `| ${status} | ${codes.join(', ')} |`),
].join('\n');
