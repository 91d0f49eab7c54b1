import { AppError } from '../../lib/errors.ts';

const checkAddress = 'Check the tenant’s repository and its credentials, then try again';

const causes: { pattern: RegExp; words: string }[] = [
  {
    pattern: /Authentication failed|could not read (?:Username|Password)|Permission denied \(|error: 40[13]/,
    words: `The repository refuses the credentials. ${checkAddress}.`,
  },
  {
    pattern: /Host key verification failed/,
    words:
      'The key of the repository’s host is not the known one. Check that host, and known_hosts in DATA_DIR/sources.',
  },
  {
    pattern: /SSL|certificate/,
    words: 'The repository’s host has no certificate that is trusted here. Check that host and the CA certificates.',
  },
  {
    pattern: /Could not resolve host/,
    words:
      'The host name of the repository cannot be resolved. Check the tenant’s repository and the host’s DNS, then try again.',
  },
  {
    pattern: /Connection refused|Failed to connect|Could not connect|timed out|unreachable|Connection reset/i,
    words: 'The repository’s host cannot be reached. Check that host and the network, then try again.',
  },
  {
    pattern: /No space left on device|Disk quota exceeded/,
    words: 'The manager’s disk is full. Make room, then try again.',
  },
  {
    pattern: /not found|does not exist|does not appear to be a git repository|not a git repository/i,
    words: `The repository does not exist, or may not be read with these credentials. ${checkAddress}.`,
  },
];

/** A failure of git in fixed words. What git printed may hold paths and what a server said: it is for the manager's log alone. */
export class GitFailure extends AppError {
  readonly printed: string;

  constructor(output: string) {
    const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
    const printed = lines.slice(-4).join(' / ') || 'no reason given';
    const cause = causes.find(({ pattern }) => pattern.test(printed));
    super('git_error', cause?.words ?? 'git failed. The manager’s log has what it printed.');
    this.printed = printed;
  }
}
