interface Failure {
  /** 0: there was no answer. */
  status: number;
  code: string;
  message: string;
  issues?: readonly { path: string; message: string }[] | undefined;
  requestId?: string | undefined;
}

/** The manager's error message. */
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

  /** The fields concerned, with the rule each breaks. */
  get fields(): Record<string, string> {
    return Object.fromEntries(this.issues.map(({ path, message }) => [path, asSentence(message)]));
  }

  /** An error message for users, without the API's field paths. */
  get words(): string {
    if (this.code !== 'validation_error' || this.issues.length === 0) return this.message;
    const messages = this.issues.slice(0, maxIssuesShown).map(({ path, message }) => {
      const name = nameOf(path);
      return name ? `${name}: ${message}` : asSentence(message);
    });
    return [...new Set(messages)].join('; ');
  }
}

/** How many issues one message lists. */
const maxIssuesShown = 3;

/** A rule starts with a lower-case letter so that a field's name can precede it; names and addresses keep theirs. */
const asSentence = (rule: string): string =>
  rule.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** A field by its path: `header_row` → Header row, `custom_env.SMTP_HOST` → SMTP_HOST; entries of a list have no name. */
function nameOf(path: string): string {
  const parts = path.split('.');
  const last = parts.at(-1) ?? '';
  if (parts.some((part) => /^\d+$/.test(part))) return '';
  return last === last.toUpperCase() ? last : asSentence(`${last.replaceAll('_', ' ')} `).trim();
}
