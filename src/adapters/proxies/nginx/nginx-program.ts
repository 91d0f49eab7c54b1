import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { siteFileNames } from '../site-files.ts';
import { type Layout, type NginxProxyOptions, nginxConcurrency } from './options.ts';

/** nginx has `ssl_reject_handshake`, which keeps unknown names from getting some tenant's certificate, since 1.19.4. */
const oldestVersion = [1, 19, 4] as const;
const http2DirectiveSince = [1, 25, 1] as const;
const keepsConnectionsSince = [1, 29, 7] as const;

/** The nginx program: all commands. */
export class NginxProgram {
  readonly #options: NginxProxyOptions;
  readonly #layout: Layout;
  #readingMs = 0;

  constructor(options: NginxProxyOptions, layout: Layout) {
    this.#options = options;
    this.#layout = layout;
  }

  /** How long nginx took to read its configuration last time: thousands of sites with TLS take seconds. */
  get readingMs(): number {
    return this.#readingMs;
  }

  /** @throws AppError proxy_unavailable also when it is too old */
  async version(): Promise<string> {
    const { output } = await this.#run(['-v']);
    const version = /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(output)?.[1];
    if (!version) throw new AppError('proxy_unavailable', `nginx did not report its version: ${output.trim()}`);
    if (isOlder(version, oldestVersion)) {
      throw new AppError('proxy_unavailable', `nginx ${version} is too old: ${oldestVersion.join('.')} is needed`);
    }
    return version;
  }

  /** Has nginx test a configuration: the one in service, or a candidate. @throws AppError proxy_unavailable */
  async test(mainConfig = this.#layout.mainConfig): Promise<{ valid: boolean; output: string }> {
    const began = performance.now();
    const { exitCode, output, timedOut } = await this.#run(['-t', '-c', mainConfig]);
    this.#readingMs = performance.now() - began;
    if (timedOut) throw new AppError('proxy_unavailable', 'nginx -t did not end in time');
    return { valid: exitCode === 0, output };
  }

  /** Sends the signal; its effect is not known from this. @throws AppError proxy_unavailable in nginx's own words */
  async reload(): Promise<void> {
    const { fileList, mainConfig } = this.#layout;
    if (fileList !== undefined) return writeFileAtomic(fileList, await fileListOf(this.#layout), 0o644);
    const { exitCode, output, timedOut } = await this.#run(['-s', 'reload', '-c', mainConfig]);
    if (timedOut) throw new AppError('proxy_unavailable', 'nginx -s reload did not end in time');
    if (exitCode !== 0) throw new AppError('proxy_unavailable', `nginx could not be reloaded: ${complaints(output)}`);
  }

  async #run(parameters: readonly string[]): ReturnType<NginxProxyOptions['run']> {
    const { run, binary = 'nginx', programTimeoutMs = 60_000 } = this.#options;
    try {
      return await run([binary, ...parameters], { timeoutMs: programTimeoutMs });
    } catch (error) {
      if (error instanceof AppError && error.code === 'proxy_unavailable') throw error;
      throw new AppError('proxy_unavailable', `nginx could not be run: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** The files that nginx reads, as `sha256sum --check` takes them; never the same text twice, so that each reload is noticed. */
async function fileListOf(layout: Layout): Promise<string> {
  const shared = (await readdir(layout.common)).filter((name) => name.endsWith('.inc'));
  const paths = [
    layout.mainConfig,
    ...shared.map((name) => join(layout.common, name)),
    ...(await siteFileNames(layout)).map((name) => join(layout.sites, name)),
  ];
  const digests = new Map<string, string>();
  await mapConcurrently(paths, nginxConcurrency, async (path) => {
    digests.set(
      path,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  });
  return [`# ${randomUUID()}`, ...paths.map((path) => `${digests.get(path)}  ${path}`), ''].join('\n');
}

export const hasHttp2Directive = (version: string): boolean => !isOlder(version, http2DirectiveSince);
export const keepsConnections = (version: string): boolean => !isOlder(version, keepsConnectionsSince);

function isOlder(version: string, than: readonly [number, number, number]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of than.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}

/** nginx's complaints: the serious lines, or its whole output if there are none. */
export function complaints(output: string): string {
  const lines = output
    .trim()
    .split('\n')
    .map((line) => line.replace(/^(?:nginx: |\d{4}\/\d\d\/\d\d [\d:]{8} )/, '').replace(/^(\[\w+\]) \d+#\d+: /, '$1 '));
  const serious = lines.filter((line) => /^\[(emerg|alert|crit|error)\]/.test(line));
  return (serious.length > 0 ? serious : lines).join('\n');
}

/** The domains that nginx reports as duplicate: it would silently ignore one of the two servers. */
export const conflictingNames = (output: string): { domain: string; line: string }[] =>
  [...output.matchAll(/conflicting server name "([^"]+)" on \S+, ignored/g)].map(([line, domain = '']) => ({
    domain,
    line,
  }));
