/** The closed list of error codes, each with the HTTP status it is answered with (docs: "Errors" in the API description). */
export const statusOfCode = {
  validation_error: 400,
  malformed_json: 400,
  unsupported_file: 400,
  mapping_incomplete: 400,
  job_not_ready: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  token_expired: 401,
  forbidden: 403,
  password_change_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  slug_taken: 409,
  domain_taken: 409,
  port_taken: 409,
  ports_exhausted: 409,
  operation_in_progress: 409,
  not_deployed: 409,
  already_latest: 409,
  downgrade_refused: 409,
  invalid_state: 409,
  data_missing: 409,
  username_taken: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  tenant_unreachable: 502,
  tenant_error: 502,
  git_error: 502,
  ai_error: 502,
  upgrade_failed: 502,
  runtime_unavailable: 503,
  proxy_unavailable: 503,
  database_unavailable: 503,
  shutting_down: 503,
  standby: 503,
  insufficient_storage: 507,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

/** One problem with a request: the path (`custom_env.PORT`) and the rule it breaks. */
export interface Issue {
  path: string;
  message: string;
}

interface AppErrorOptions {
  issues?: Issue[];
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
  /** Technical details of a failure whose message is plain; kept with operations. */
  detail?: string;
  cause?: unknown;
}

/** A business error: features throw it, only the HTTP layer turns it into an answer. `message` is shown to the user. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string>;
  readonly detail: string | undefined;

  /** A validation error always has issues. */
  constructor(code: 'validation_error', message: string, options: AppErrorOptions & { issues: Issue[] });
  constructor(code: Exclude<ErrorCode, 'validation_error'>, message: string, options?: AppErrorOptions);
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = options.issues;
    this.headers = options.headers ?? {};
    this.detail = options.detail;
  }
}

/** An error whose code was stored, in a record or by a worker. A validation error without issues is about the whole request. */
export function errorOf(code: ErrorCode, message: string, options: AppErrorOptions = {}): AppError {
  if (code !== 'validation_error') return new AppError(code, message, options);
  return new AppError(code, message, { ...options, issues: options.issues ?? [{ path: '', message }] });
}

/** Why something failed: a code for programs, and sentences without their full stops. */
export interface FoundCause {
  code: string;
  title: string;
  /** What to do; null: the title says it. */
  remedy: string | null;
  /** What title and remedy name, for catalogues of sentences by code. */
  params?: Readonly<Record<string, string>>;
  /** Missing: the failure's own words are the only evidence. */
  diagnosis?: { confidence: 'certain' | 'likely'; evidence: { fact: string; source: string; at: string }[] };
}

/** A failure with a known cause: `message` names it and what to do, `detail` quotes the evidence. */
export class ExplainedError extends Error {
  readonly found: FoundCause;
  readonly detail: string;

  constructor(found: FoundCause, detail: string, options?: ErrorOptions) {
    super(found.remedy === null ? found.title : `${found.title}. ${found.remedy}.`, options);
    this.name = 'ExplainedError';
    this.found = found;
    this.detail = detail;
  }
}

/** The sentences of a cause, with its parameters in braces. */
export type CauseTexts = Record<'title' | 'remedy', string>;

/** The error of a cause whose sentences are in a table; the words of `cause` are its evidence. */
export function explain(
  problem: { code: string; params: Readonly<Record<string, string>> },
  { title, remedy }: CauseTexts,
  cause?: unknown,
): ExplainedError {
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => problem.params[name] ?? '');
  const found: FoundCause = { ...problem, title: filled(title), remedy: filled(remedy) };
  return new ExplainedError(found, cause === undefined ? found.title : messageOf(cause), { cause });
}

/** `not_found`, in one wording for every kind of thing: `No tenant with id x`. */
export function notFound(thing: string, id: string): AppError {
  return new AppError('not_found', `No ${thing} with id ${id}`);
}

/** A validation error about one field. */
export function invalid(path: string, message: string): AppError {
  return new AppError('validation_error', `${path}: ${message}`, { issues: [{ path, message }] });
}

/**
 * The message of anything thrown, for logs and step errors. Native modules may throw errors that are not instances of our
 * `Error`.
 */
export function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : String(error);
}
