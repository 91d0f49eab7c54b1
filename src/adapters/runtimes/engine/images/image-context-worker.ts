import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import dockerIgnore from '@balena/dockerignore';
import { messageOf } from '../../../../lib/errors.ts';
import { serveTask } from '../../../../lib/workers/serve.ts';
import { imagesOf } from './dockerfile-images.ts';
import type { ContextFiles, ContextTask } from './image-context.ts';

/** Entry point of the worker thread that chooses the files of a build context and reads its Dockerfile. */
serveTask<ContextTask, never, ContextFiles>(async ({ checkout, dockerfile, target, ignore, needed }) => {
  const lines = ignore?.text.replace(/^\uFEFF/, '').split('\n') ?? [];
  const rules = dockerIgnore.default({ ignorecase: false }).add(lines.map(withoutExpressions));
  // Only below an exception, and around a needed file, can there be more of an ignored directory.
  const hasExceptions = lines.some((line) => line.trim().startsWith('!'));
  const included: string[] = [];
  const walk = (directory: string): void => {
    for (const entry of readdirSync(join(checkout, directory), { withFileTypes: true })) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (path === '.git') continue;
      const ignored = rules.ignores(path) && !needed.includes(path);
      if (!ignored) included.push(path);
      const isAbove = needed.some((file) => file.startsWith(`${path}/`));
      if (entry.isDirectory() && (!ignored || isAbove || hasExceptions)) walk(path);
    }
  };
  try {
    walk('');
    return { included: included.sort(), images: dockerfile === undefined ? [] : imagesOf(dockerfile, target) };
  } catch (error) {
    const isPattern = error instanceof SyntaxError;
    return { problem: isPattern ? `${ignore?.name}: ${messageOf(error)}` : messageOf(error) };
  }
});

/** The library leaves most special characters of regular expressions as they are; in a `.dockerignore` they mean themselves. */
function withoutExpressions(pattern: string): string {
  return pattern.replace(/\\.|[+(){}|]|(?<!\[)\^/g, (found) => (found.startsWith('\\') ? found : `\\${found}`));
}
