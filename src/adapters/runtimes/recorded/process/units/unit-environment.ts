import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { markVariable } from './unit-mark.ts';

/** The manager's own environment, of which units see only what `createEnvironments` selects. */
export type ManagerEnvironment = Readonly<Record<string, string | undefined>>;

export interface Environments {
  /** The whole environment of our processes: nothing is inherited from the manager's, which holds its secrets. */
  for(given: Readonly<Record<string, string>>, own: { mark: string; port?: number }): Record<string, string>;
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** The harmless and needed part of the manager's: npm's cache and settings, the language, the host's CA certificates. */
const handedOn = ['HOME', 'LANG', 'NODE_EXTRA_CA_CERTS'] as const;

/** @param nodeDirectory the directory of the Node for units; it comes first in their PATH */
export function createEnvironments(
  manager: ManagerEnvironment,
  nodeDirectory = dirname(process.execPath),
): Environments {
  const npmDirectory = (manager.PATH ?? '').split(delimiter).find((directory) => isProgram(join(directory, 'npm')));
  const path = [...new Set([nodeDirectory, ...systemPath, ...(npmDirectory ? [npmDirectory] : [])])].join(delimiter);
  const base: Record<string, string> = { HOME: '/', LANG: 'C.UTF-8' };
  for (const name of handedOn) {
    const value = manager[name];
    if (value) base[name] = value;
  }
  return {
    for: (given, own) => ({
      ...base,
      ...given,
      PATH: path,
      HOST: '127.0.0.1',
      ...(own.port === undefined ? {} : { PORT: String(own.port) }),
      [markVariable]: own.mark,
    }),
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
