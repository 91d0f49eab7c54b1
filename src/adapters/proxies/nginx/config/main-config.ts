import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../../../lib/errors.ts';
import type { Layout } from '../options.ts';
import { type Directive, directivesOf } from './directives.ts';

/** The main configuration of an nginx without one. What we can't know (user, modules, logs) is nginx's default. */
export const mainConfigText = (
  layout: Layout,
): string => `# Written by Tenantry because there was none; yours to change. It must keep the line that includes the sites.
worker_processes auto;
worker_rlimit_nofile 16384;
# After a reload the old workers stay while clients are connected to them, by an open WebSocket for instance.
worker_shutdown_timeout 1h;
pid ${layout.pidFile};
${errorLogLines(layout)}

events {
  worker_connections 4096;
}

http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 65s;
  server_tokens off;
  # Nothing rotates a log here; name a file that is rotated, to have one.
  access_log off;

  include ${layout.sitesPattern};
}
`;

/** A file without rotation must not grow with every failed request, which is an `error`; a container's output is rotated. */
const errorLogLines = ({ errorLog }: Layout): string =>
  errorLog === 'stderr'
    ? 'error_log stderr warn;'
    : `# Failed requests are logged from the level "error" on. Nothing rotates this file.
error_log ${errorLog} crit;`;

export interface MainConfig {
  text: string;
  /** The directive that includes the sites. */
  include: Directive;
  /** Names of directives in `http` itself. */
  httpDirectives: ReadonlySet<string>;
  /** The error log of nginx's master process, if it is a file that the configuration names with its full path. */
  errorLog: string | undefined;
}

/** @throws AppError proxy_unavailable when it can't be read, or does not include the sites: names the line to add */
export async function readMainConfig(layout: Layout): Promise<MainConfig> {
  const text = await readFile(layout.mainConfig, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new AppError('proxy_unavailable', `nginx’s main configuration ${layout.mainConfig} ${reason}`);
  });
  const directives = directivesOf(text);
  const inHttp = directives.filter(({ context }) => context.length === 1 && context[0] === 'http');
  const include = inHttp.find(
    ({ words: [name, path, ...rest] }) =>
      name === 'include' &&
      path !== undefined &&
      rest.length === 0 &&
      resolve(dirname(layout.mainConfig), path) === layout.sitesPattern,
  );
  if (!include) {
    throw new AppError(
      'proxy_unavailable',
      `${layout.mainConfig} does not include the tenants’ sites. Add this line to its http block: include ${layout.sitesPattern};`,
    );
  }
  const log = directives.find(({ words, context }) => words[0] === 'error_log' && context.length === 0)?.words[1];
  return {
    text,
    include,
    httpDirectives: new Set(inHttp.map(({ words }) => words[0] ?? '')),
    errorLog: log?.startsWith('/') ? log : undefined,
  };
}

/** The main configuration with these files instead of the sites; in one line, so that line numbers stay the same. */
export function withSites({ text, include }: MainConfig, files: readonly string[]): string {
  const includes = files.map((file) => `include ${file};`).join(' ');
  return text.slice(0, include.start) + includes + text.slice(include.end);
}
