interface Failure {
  /** 0: there was no answer. */
  status: number;
  code: string;
  message: string;
  issues?: readonly { path: string; message: string }[] | undefined;
  requestId?: string | undefined;
}

/** What the manager said went wrong. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly { path: string; message: string }[];
  readonly requestId: string | undefined;

  constructor({ status, code, message, issues, requestId }: Failure) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.issues = issues ?? [];
    this.requestId = requestId;
  }

  /** The fields it is about, with the rule each breaks. */
  get fields(): Record<string, string> {
    return Object.fromEntries(this.issues.map(({ path, message }) => [path, message]));
  }
}
