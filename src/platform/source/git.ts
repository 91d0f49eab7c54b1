import { AppError, messageOf } from '../../kernel/errors.ts';
import { runProgram } from '../../kernel/spawn.ts';
import { isLocalAddress, type RepositoryAddress } from './address.ts';

/** git with the environment it runs in. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

interface GitOptions {
  repository?: RepositoryAddress;
  environment?: Record<string, string>;
  signal?: AbortSignal | undefined;
  onLine?: (line: string) => void;
  timeoutMs?: number;
}

const networkTimeoutMs = 10 * 60_000;

/** What git may see of the manager's own environment: how to get out, never our secrets. */
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
 * git, run with argument arrays; answers what it printed. Credentials go by an environment entry that git reads as
 * configuration, bound to the repository's own host, so they stand neither in arguments nor in what git prints.
 * @param host the manager's own environment, of which git sees only how to get out
 */
export function createGit(host: Readonly<Record<string, string | undefined>>): Git {
  const base = baseEnvironment(host);
  return async (args, options = {}) => {
    const environment = { ...base, ...settingsFor(options.repository), ...options.environment };
    const result = await runProgram('git', args, {
      env: environment,
      timeoutMs: options.timeoutMs ?? networkTimeoutMs,
      signal: options.signal,
      ...(options.onLine ? { onLine: options.onLine } : {}),
    }).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw new AppError('git_error', `git could not be run: ${messageOf(error)}`);
    });
    if (result.timedOut) throw new AppError('git_error', 'git did not finish in time');
    if (result.exitCode !== 0) throw new AppError('git_error', `git: ${lastWords(result.output)}`);
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
    // A constant of ours; nothing a user typed comes near it.
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=20',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh',
  };
}

function settingsFor(repository: RepositoryAddress | undefined): Record<string, string> {
  if (!repository) return {};
  const settings: [string, string][] = [['http.followRedirects', 'initial']];
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
  };
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  return lines.slice(-4).join(' / ') || 'no reason given';
}
