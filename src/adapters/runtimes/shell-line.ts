/**
 * The program and arguments that run a command line.
 *
 * This is the one place of the house where a shell is used: the `start`, `install` and `run` lines are the tenant
 * repository's own, written by its author to be read by a shell (`npm ci && npm run build`). Nothing else ever comes
 * here: what users type reaches a unit by its environment alone.
 */
export function shellLine(line: string): { file: string; args: string[] } {
  return { file: shell, args: ['-c', line] };
}

export const shell = '/bin/sh';
