import { isIP } from 'node:net';
import { AppError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { runProgram } from '../../lib/spawn.ts';
import { gitTarget, isLocalAddress, type RepositoryAddress } from './address.ts';

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
    pattern: /cannot lock ref|unable to update local ref|refname conflict/i,
    words:
      'A branch or tag of the repository cannot be written: another one has a part of its name. Remove one of them, then try again.',
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

/** A failure of git in fixed words. git's output may contain paths and a server's text: it goes only to the manager's log. */
export class GitFailure extends AppError {
  readonly printed: string;

  constructor(output: string) {
    const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
    const printed = lines.slice(-4).join(' / ') || 'no reason given';
    const cause = causes.find(({ pattern }) => pattern.test(printed));
    super('git_error', cause?.words ?? 'git failed. The manager’s log has its output.');
    this.printed = printed;
  }
}

/** git with its environment. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

export interface GitOptions {
  repository?: RepositoryAddress;
  /** The addresses of the repository's host that git may connect to; empty: as it resolves. */
  addresses?: readonly string[];
  environment?: Record<string, string>;
  signal?: AbortSignal | undefined;
  onLine?: (line: string) => void;
  /** For lists: git's warnings are dropped. */
  stdoutOnly?: boolean;
  timeoutMs?: number;
}

/** Default timeout of git's requests to a repository's server. */
export const networkTimeoutMs = 10 * 60_000;

/** The part of the manager's environment that git may see: network settings, never our secrets. */
const handedOn = [
  'PATH',
  'HOME',
  'LANG',
  'SSH_AUTH_SOCK',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/**
 * Runs git with argument arrays; returns its output. Credentials go by an environment entry that git reads as configuration,
 * bound to the repository's own host, so they are neither in arguments nor in git's output. git follows no redirects: it would
 * send the credentials to the new host, whose addresses were not checked (see remote.ts).
 * @param host the manager's own environment, of which git sees only network settings
 * @param knownHosts ssh's file of host keys
 * @param logger gets git's output when it fails; no one else does
 */
export function createGit(
  host: Readonly<Record<string, string | undefined>>,
  knownHosts: string,
  logger: Pick<Logger, 'warn'>,
): Git {
  const base = { ...baseEnvironment(host), TENANTRY_KNOWN_HOSTS: knownHosts };
  return async (args, options = {}) => {
    const environment = { ...base, ...settingsFor(options), ...options.environment };
    const result = await runProgram('git', args, {
      env: environment,
      timeoutMs: options.timeoutMs ?? networkTimeoutMs,
      signal: options.signal,
      stdoutOnly: options.stdoutOnly,
      ...(options.onLine ? { onLine: options.onLine } : {}),
    }).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw new AppError('git_error', `git could not be run: ${messageOf(error)}`);
    });
    if (result.timedOut) throw new AppError('git_error', 'git did not finish in time');
    if (result.exitCode !== 0) {
      const failure = new GitFailure(result.output);
      logger.warn({ printed: failure.printed }, 'git failed');
      throw failure;
    }
    return result.output;
  };
}

function baseEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const passed = handedOn.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]]));
  return {
    ...Object.fromEntries(passed),
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_SSH_COMMAND: sshCommand,
    GIT_ALLOW_PROTOCOL: 'https:http:ssh',
  };
}

// Constants: git runs this line by a shell. What differs comes by the environment; ssh itself reads the file's name, so
// that blanks in it do no harm.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: ssh reads it from its environment
const sshCommand =
  "ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=20 -o 'UserKnownHostsFile=${TENANTRY_KNOWN_HOSTS}'";
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
const sshPinnedCommand = `${sshCommand} -o HostName="$TENANTRY_GIT_ADDRESS" -o HostKeyAlias="$TENANTRY_GIT_HOST"`;

function settingsFor({ repository, addresses = [] }: GitOptions): Record<string, string> {
  if (!repository) return {};
  const settings: [string, string][] = [['http.followRedirects', 'false']];
  const target = gitTarget(repository.address);
  const [first] = addresses;
  if (target && first !== undefined) {
    const list = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',');
    settings.push(['http.curloptResolve', `${target.host}:${target.port}:${list}`]);
  }
  if (repository.credentials) {
    const { username, password } = repository.credentials;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    settings.push([`http.${new URL(repository.address).origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  const local = isLocalAddress(repository.address);
  // A local repository may belong to another user of this machine; the operator has allowed it.
  if (local) settings.push(['safe.directory', '*']);
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(local ? { GIT_ALLOW_PROTOCOL: 'file' } : {}),
    // Neither ~/.netrc nor the keys of an agent.
    ...(repository.foreign ? { HOME: '/dev/null', SSH_AUTH_SOCK: '' } : {}),
    ...(target && first !== undefined
      ? {
          GIT_SSH_COMMAND: sshPinnedCommand,
          TENANTRY_GIT_ADDRESS: first,
          TENANTRY_GIT_HOST: target.port === 22 ? target.host : `[${target.host}]:${target.port}`,
        }
      : {}),
  };
}
