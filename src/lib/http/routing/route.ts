import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Who may call a route: nobody in particular, or anybody whose role is at least this one. */
export type Access = 'public' | Role;

/** Whether a role includes what another one allows. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

export const lowerRole = (one: Role, other: Role): Role => (isAtLeast(one, other) ? other : one);

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

/** What a route answers with: JSON of a schema, or bytes of another media type (`a/b or c/d`) that the handler writes itself. */
type ResponseBody = { schema: Schema } | { mediaType: string; description: string };

export interface RouteDefinition {
  method: 'get' | 'post' | 'put' | 'delete';
  /** OpenAPI form: `/api/tenants/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** One-time tickets (`ticket` in the query) are accepted: downloads and streams, for browsers. */
  ticket?: boolean;
  /** The query field that, when true, turns the answer into an event stream; `access_token` in the query is accepted then. */
  streamWhen?: string;
  /** Answers also while the caller must change the password first. */
  duringPasswordChange?: boolean;
  query?: z.ZodObject;
  body?: Schema;
  /** JSON unless said; `form` takes JSON and `application/x-www-form-urlencoded`; `multipart` is read by the handler. */
  bodyType?: 'json' | 'form' | 'multipart';
  /** The status of success (default 200). */
  status?: 200 | 201 | 202;
  response: ResponseBody;
  /** A second form of the answer, which the handler writes itself (a stream instead of JSON), answering `undefined`. */
  alternative?: { mediaType: string; description: string };
  /**
   * What it answers where it was asked for less, a look (200) or a beginning (202), not for the whole work: the handler answers
   * an `OtherAnswer`.
   */
  other?: { status?: 200 | 202; schema: Schema; description: string };
  /** Codes it can answer beyond those every route can. */
  errors?: ErrorCode[];
}

/** An answer in the route's other form. */
export class OtherAnswer<T> {
  readonly body: T;

  constructor(body: T) {
    this.body = body;
  }
}

type OtherOf<D extends RouteDefinition> = D extends { other: { schema: infer S extends Schema } }
  ? OtherAnswer<z.input<S>>
  : never;
type Parsed<T, Otherwise> = T extends Schema ? z.output<T> : Otherwise;
type Answer<D extends RouteDefinition> = D['response'] extends { schema: infer S extends Schema }
  ? z.input<S> | (D extends { alternative: object } ? undefined : never) | OtherOf<D>
  : undefined;

/** `{id}` parts of a path become string fields. */
type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name | keyof PathParams<Rest>]: string }
  : Record<never, string>;

export interface HandlerInput<D extends RouteDefinition> {
  params: PathParams<D['path']>;
  query: Parsed<D['query'], Record<string, never>>;
  body: Parsed<D['body'], undefined>;
  /** The caller; on a public route an anonymous stand-in that has no rights. */
  principal: Principal;
  request: Request;
  /** For routes that write their answer themselves. */
  response: Response;
}

/** One row of the route table: what the API description says, and the code behind it. */
export interface Route {
  definition: RouteDefinition;
  handle(input: HandlerInput<RouteDefinition>): Promise<unknown>;
}

/** Ties a handler to its description; the types of input and answer come from the schemas. */
export function defineRoute<const D extends RouteDefinition>(
  definition: D,
  handle: (input: HandlerInput<D>) => Promise<Answer<D>>,
): Route {
  return { definition, handle: handle as Route['handle'] };
}
