import { AppError } from '../../kernel/errors.ts';

const checkAddress = 'Check the tenant’s repository and its credentials, then deploy again';

const causes: { pattern: RegExp; what: string; advice: string }[] = [
  {
    pattern: /Authentication failed|could not read (?:Username|Password)|Permission denied \(|error: 40[13]/,
    what: 'The repository refuses the credentials',
    advice: checkAddress,
  },
  {
    pattern: /not found|does not exist|does not appear to be a git repository|not a git repository/i,
    what: 'The repository does not exist, or may not be read with these credentials',
    advice: checkAddress,
  },
  {
    pattern: /Could not resolve host/,
    what: 'The host name of the repository cannot be resolved',
    advice: 'Check the tenant’s repository and the host’s DNS, then deploy again',
  },
  {
    pattern: /Connection refused|Failed to connect|Could not connect|timed out|unreachable|Connection reset/i,
    what: 'The repository’s host cannot be reached',
    advice: 'Check that host and the network, then deploy again',
  },
];

/** A failure of git in plain words, with git's own as its detail; any other failure as it is. */
function explainGit(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'git_error') return error;
  const cause = causes.find(({ pattern }) => pattern.test(error.message));
  if (!cause) return error;
  return new AppError('git_error', `${cause.what}. ${cause.advice}.`, { detail: error.message, cause: error });
}

/** Runs work with git, whose failure it explains. @throws AppError git_error */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainGit(error);
  }
}
