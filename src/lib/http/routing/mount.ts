import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError } from '../../errors.ts';
import { bodyOf, bodyReaders } from '../requests/body.ts';
import { bearerToken } from '../requests/credential.ts';
import { assertNoNul } from './no-nul.ts';
import { parse } from './parse.ts';
import { may, type Permission, rolesWith } from './roles.ts';
import { type Principal, Reply, type Route, type RouteDefinition, type SuccessStatus } from './route.ts';

/** What is accepted in a request's query. */
export interface UrlCredentials {
  /** `access_token`. */
  queryToken: boolean;
  /** `ticket`. */
  ticket: boolean;
}

export interface MountOptions {
  /** The caller of a request. @throws AppError unauthorized, token_expired */
  authenticate(request: Request, accepted: UrlCredentials): Promise<Principal>;
  /** Called before an event stream is answered. @throws AppError rate_limited */
  onStream?: ((principal: Principal, request: Request, response: Response) => void) | undefined;
  /** Whether there is room again after this error, so that a route with `onFullDisk` is tried once more. */
  makeRoom?: ((error: unknown) => Promise<boolean>) | undefined;
  /** Checks every answer against its schema (tests): an answer that does not fit is an internal error. */
  checkAnswers: boolean;
}

/**
 * A router for the whole route table, in its order; a known path with another method is answered 405 with `Allow`. The path
 * of the matched route is in `response.locals.route`.
 * @throws Error where a path can't be reached because an earlier one also matches it
 */
export function mountRoutes(routes: readonly Route[], options: MountOptions): Router {
  assertReachable([...new Set(routes.map(({ definition }) => definition.path))]);
  const router = Router({ caseSensitive: true });
  const methodsOf = new Map<string, string[]>();
  for (const route of routes) {
    const path = expressPath(route.definition.path);
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), route.definition.method.toUpperCase()]);
    router[route.definition.method](path, ...handlersOf(route, options));
  }
  for (const [path, methods] of methodsOf) {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
    router.all(path, (request) => {
      throw new AppError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`, {
        headers: { Allow: allow },
      });
    });
  }
  return router;
}

const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** `/ports/next-available` must come before `/ports/{id}`. */
function assertReachable(paths: readonly string[]): void {
  for (const [index, path] of paths.entries()) {
    const earlier = paths.slice(0, index).find((one) => matches(one, path));
    if (earlier) throw new Error(`The route ${path} is never reached: ${earlier} comes before it`);
  }
}

function matches(pattern: string, path: string): boolean {
  const segments = path.split('/');
  const wanted = pattern.split('/');
  return wanted.length === segments.length && wanted.every((part, at) => part.startsWith('{') || part === segments[at]);
}

function handlersOf(route: Route, options: MountOptions): RequestHandler[] {
  const { definition } = route;
  const principals = new WeakMap<Request, Principal>();
  const statuses = Object.keys(definition.responses).map(Number) as SuccessStatus[];
  // The caller is authenticated before a byte of the body is read.
  const admit: RequestHandler = async (request, response, next) => {
    response.locals.route = definition.path;
    // What browsers load by address alone (a logo in a page of the dashboard) may come from another origin.
    if (definition.ticket) response.set('Cross-Origin-Resource-Policy', 'cross-origin');
    if (definition.access !== 'public' && !definition.fixedToken?.(bearerToken(request) ?? '')) {
      const isStream = asksForStream(definition, request);
      const accepted = { queryToken: isStream, ticket: definition.ticket ?? false };
      const principal = await options.authenticate(request, accepted);
      assertAllowed(definition, definition.access, principal);
      if (isStream) options.onStream?.(principal, request, response);
      principals.set(request, principal);
    }
    next();
  };
  const answer: RequestHandler = async (request, response) => {
    assertNoNul(request.params);
    const input = {
      params: request.params as Record<string, string>,
      query: parsed(definition.query, request.query) as Record<string, never>,
      body: parsed(
        definition.bodyType === 'multipart' ? undefined : definition.body,
        bodyOf(definition, request),
      ) as undefined,
      principal: principals.get(request),
      request,
      response,
    };
    const result = await route.handle(input).catch(async (error: unknown) => {
      if (!definition.onFullDisk || !(await options.makeRoom?.(error))) throw error;
      return route.handle(input);
    });
    const { status, body } = result instanceof Reply ? (result as Reply) : { status: statuses[0] ?? 200, body: result };
    const form = definition.responses[status];
    // Otherwise the handler has written the answer itself.
    if (!form || !('schema' in form) || response.headersSent) return;
    response.status(status).json(options.checkAnswers ? form.schema.parse(body) : body);
  };
  return [admit, ...bodyReaders(definition), answer];
}

/** Whether the answer is an event stream, by the query. */
function asksForStream({ query, streamWhen }: RouteDefinition, request: Request): boolean {
  if (!query || streamWhen === undefined) return false;
  const { data } = query.safeParse(request.query);
  return data?.[streamWhen] === true;
}

function parsed(schema: RouteDefinition['body'], value: unknown): unknown {
  if (!schema) return undefined;
  const data = parse(schema, value);
  assertNoNul(data);
  return data;
}

function assertAllowed(definition: RouteDefinition, permission: Permission, principal: Principal): void {
  if (principal.mustChangePassword && !definition.duringPasswordChange) {
    throw new AppError('password_change_required', 'Change your password first: POST /api/auth/change-password');
  }
  if (!may(principal.role, permission)) {
    throw new AppError('forbidden', `This needs the role ${rolesWith(permission).join(' or ')}`);
  }
}
