/**
 * The program and arguments that run a command line.
 * The only place that uses a shell: the `start`, `install` and `run` lines are the tenant repository's own, written by its
 * author for a shell (`npm ci && npm run build`). Nothing else comes here: user input reaches a unit only through its
 * environment.
 */
export function shellLine(line: string): { file: string; args: string[] } {
  return { file: shell, args: ['-c', line] };
}

export const shell = '/bin/sh';
