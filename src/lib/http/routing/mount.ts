import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError } from '../../errors.ts';
import { bodyOf, bodyReaders } from '../requests/body.ts';
import { assertNoNul } from './no-nul.ts';
import { parse } from './parse.ts';
import { isAtLeast, OtherAnswer, type Principal, type Role, type Route, type RouteDefinition } from './route.ts';

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
  /** Told before an event stream is answered. @throws AppError rate_limited */
  onStream?: ((principal: Principal, request: Request, response: Response) => void) | undefined;
  /** Checks every answer against its schema (tests): an answer that does not fit is an internal error. */
  checkAnswers: boolean;
}

const anonymous: Principal = { userId: '', username: '', role: 'viewer', mustChangePassword: false };

/**
 * A router for the whole route table; a known path with another method is answered 405 with `Allow`. The path of the
 * route that answers, as the table has it, stands in `response.locals.route`.
 */
export function mountRoutes(routes: readonly Route[], options: MountOptions): Router {
  const router = Router({ caseSensitive: true });
  const methodsOf = new Map<string, string[]>();
  // Fixed segments before parameters: /ports/next-available must not be read as /ports/{id}.
  for (const route of [...routes].sort((a, b) => specificity(b.definition.path) - specificity(a.definition.path))) {
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
const specificity = (path: string): number => path.split('/').filter((part) => !part.startsWith('{')).length;

function handlersOf(route: Route, options: MountOptions): RequestHandler[] {
  const { definition } = route;
  const principals = new WeakMap<Request, Principal>();
  // Who asks is settled before a byte of the body is read.
  const admit: RequestHandler = async (request, response, next) => {
    response.locals.route = definition.path;
    // What browsers load by address alone (a logo in a page of the dashboard) may come from another origin.
    if (definition.ticket) response.set('Cross-Origin-Resource-Policy', 'cross-origin');
    if (definition.access !== 'public') {
      const isStream = asksForStream(definition, request);
      const accepted = { queryToken: isStream, ticket: definition.ticket ?? false };
      const principal = await options.authenticate(request, accepted);
      assertAllowed(definition, principal);
      if (isStream) options.onStream?.(principal, request, response);
      principals.set(request, principal);
    }
    next();
  };
  const answer: RequestHandler = async (request, response) => {
    assertNoNul(request.params);
    const result = await route.handle({
      params: request.params as Record<string, string>,
      query: parsed(definition.query, request.query) as Record<string, never>,
      body: parsed(
        definition.bodyType === 'multipart' ? undefined : definition.body,
        bodyOf(definition, request),
      ) as undefined,
      principal: principals.get(request) ?? anonymous,
      request,
      response,
    });
    // A handler that wrote the answer itself is done with it.
    if (!('schema' in definition.response) || response.headersSent) return;
    const [status, schema, given] =
      result instanceof OtherAnswer
        ? [definition.other?.status ?? 200, definition.other?.schema, result.body]
        : [definition.status ?? 200, definition.response.schema, result];
    response.status(status).json(options.checkAnswers ? schema?.parse(given) : given);
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

function assertAllowed(definition: RouteDefinition, principal: Principal): void {
  if (principal.mustChangePassword && !definition.duringPasswordChange) {
    throw new AppError('password_change_required', 'Change your password first: POST /api/auth/change-password');
  }
  if (!isAtLeast(principal.role, definition.access as Role)) {
    throw new AppError('forbidden', `This needs the role ${definition.access}`);
  }
}
