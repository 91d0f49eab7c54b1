/** Why a request failed. Each has its own wording, for the user who typed the address. */
export type OutboundProblem =
  /** The address is invalid, or contains credentials. */
  | 'bad_address'
  /** A rule forbids the connection: a private address, another port. */
  | 'blocked'
  | 'unresolved'
  | 'refused'
  | 'tls'
  | 'timeout'
  | 'redirects'
  | 'status'
  | 'too_large'
  | 'not_html'
  /** The answer is not HTTP, or was interrupted. */
  | 'broken';

/** A failed request to an untrusted address; `message` is one plain sentence for the user. */
export class OutboundError extends Error {
  readonly problem: OutboundProblem;

  constructor(problem: OutboundProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.problem = problem;
  }
}
