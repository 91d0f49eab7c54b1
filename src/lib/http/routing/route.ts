import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { Permission, Role } from './roles.ts';

/** What a caller must be permitted to call a route; `public`: nothing, not even a token. */
export type Access = 'public' | Permission;

/** The authenticated caller. */
export interface Principal {
  userId: string;
  username: string;
  role: Role;
  /** Only the routes that lead out of this state answer while it is set. */
  mustChangePassword: boolean;
  /** Of the sign-in that the request was made with; absent for API tokens. */
  sessionId?: string;
}

type Schema = z.ZodType;

export type SuccessStatus = 200 | 201 | 202;

/** A body of another media type (`a/b or c/d`), which the handler writes itself. */
interface WrittenResponse {
  mediaType: string;
  description: string;
}

interface JsonResponse {
  schema: Schema;
  /** `Success` unless given. */
  description?: string;
  /** A second form (a stream instead of JSON), which the handler writes itself; it then returns `undefined`. */
  alsoAs?: WrittenResponse;
}

type RouteResponse = JsonResponse | WrittenResponse;

export interface RouteDefinition {
  method: 'get' | 'post' | 'put' | 'delete';
  /** OpenAPI form: `/api/tenants/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** Whether a bearer token opens this route besides the tokens of users; the caller is unknown then. */
  fixedToken?: ((token: string) => boolean) | undefined;
  /** One-time tickets (`ticket` in the query) are accepted: downloads and streams, for browsers. */
  ticket?: boolean;
  /** The query field that, when true, turns the answer into an event stream; `access_token` in the query is accepted then. */
  streamWhen?: string;
  /** Answers also while the caller must change the password first. */
  duringPasswordChange?: boolean;
  /** Leads out of a full disk: the reserve of the data directory is given up for it. Its handler may run twice. */
  onFullDisk?: boolean;
  query?: z.ZodObject;
  body?: Schema;
  /** JSON by default; `form` accepts JSON and `application/x-www-form-urlencoded`; the handler reads `multipart`. */
  bodyType?: 'json' | 'form' | 'multipart';
  /** By status. Where there are several, the handler returns a `reply` that names one. */
  responses: { readonly [Status in SuccessStatus]?: RouteResponse };
  /** Codes it can answer beyond those every route can. */
  errors?: ErrorCode[];
}

/** An answer with its status, of a route that has several. */
export class Reply<Status extends SuccessStatus = SuccessStatus, Body = unknown> {
  readonly status: Status;
  readonly body: Body;

  constructor(status: Status, body: Body) {
    this.status = status;
    this.body = body;
  }
}

export const reply = <Status extends SuccessStatus, Body>(status: Status, body: Body): Reply<Status, Body> =>
  new Reply(status, body);

type BodyOf<R> = R extends { schema: infer S extends Schema }
  ? z.input<S> | (R extends { alsoAs: object } ? undefined : never)
  : undefined;
type AnswerOf<Responses> = {
  [Status in keyof Responses]: Exclude<keyof Responses, Status> extends never
    ? BodyOf<Responses[Status]>
    : Reply<Status & SuccessStatus, BodyOf<Responses[Status]>>;
}[keyof Responses];
type Parsed<T, Otherwise> = T extends Schema ? z.output<T> : Otherwise;

/** `{id}` parts of a path become string fields. */
type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name | keyof PathParams<Rest>]: string }
  : Record<never, string>;

export interface HandlerInput<D extends RouteDefinition> {
  params: PathParams<D['path']>;
  query: Parsed<D['query'], Record<string, never>>;
  body: Parsed<D['body'], undefined>;
  /** The caller; a public route, or one that opens with a fixed token, knows none. */
  principal: D extends { access: 'public' } | { fixedToken: unknown } ? undefined : Principal;
  request: Request;
  /** For routes that write their answer themselves. */
  response: Response;
}

/** One row of the route table: what the API description says, and the code behind it. */
export interface Route {
  definition: RouteDefinition;
  handle(
    input: Omit<HandlerInput<RouteDefinition>, 'principal'> & { principal: Principal | undefined },
  ): Promise<unknown>;
}

/** Ties a handler to its description; the types of input and answer come from the schemas. */
export function defineRoute<const D extends RouteDefinition>(
  definition: D,
  handle: (input: HandlerInput<D>) => Promise<AnswerOf<D['responses']>>,
): Route {
  return { definition, handle: handle as Route['handle'] };
}
