import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../../../lib/errors.ts';
import type { Layout } from '../options.ts';
import { type Directive, directivesOf } from './directives.ts';

/** The main configuration of an nginx that has none. What is not ours to know (user, modules, logs) is nginx's default. */
export const mainConfigText = (
  layout: Layout,
): string => `# Written by Tenantry because there was none; yours to change. It must keep the line that includes the sites.
worker_processes auto;
worker_rlimit_nofile 16384;
# After a reload the old workers stay as long as somebody is connected to them, an open WebSocket for instance.
worker_shutdown_timeout 1h;
pid ${join(dirname(layout.mainConfig), 'nginx.pid')};
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

/** A file nobody rotates must not grow with every request that fails, which is an `error`; a container's output is rotated. */
const errorLogLines = ({ errorLog }: Layout): string =>
  errorLog === 'stderr'
    ? 'error_log stderr warn;'
    : `# Failed requests are told from the level "error" on. Nothing rotates this file.
error_log ${errorLog} crit;`;

export interface MainConfig {
  text: string;
  /** The directive that includes the sites. */
  include: Directive;
  /** Names of directives that stand in `http` itself. */
  httpDirectives: ReadonlySet<string>;
  /** Where nginx's master process logs its errors, where that is a file the configuration names in full. */
  errorLog: string | undefined;
}

/** @throws AppError proxy_unavailable where it can't be read, or does not include the sites: the line to add is named */
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

/** The main configuration with these files in place of the sites; in one line, so that line numbers stay what they are. */
export function withSites({ text, include }: MainConfig, files: readonly string[]): string {
  const includes = files.map((file) => `include ${file};`).join(' ');
  return text.slice(0, include.start) + includes + text.slice(include.end);
}
