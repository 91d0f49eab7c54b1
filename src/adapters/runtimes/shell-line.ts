/**
 * The program and arguments that run a command line.
 * Only lines of the tenant repository's own come here, `start`, `install` and `run`, written by its author for a shell
 * (`npm ci && npm run build`): user input reaches a unit only through its environment.
 */
export function shellLine(line: string): { file: string; args: string[] } {
  return { file: shell, args: ['-c', line] };
}

/** Besides those lines, it runs only scripts that are constants of the manager's code, in containers. */
export const shell = '/bin/sh';
