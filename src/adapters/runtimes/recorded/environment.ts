import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The manager's own environment, of which units see only what `createEnvironments` selects. */
export type ManagerEnvironment = Readonly<Record<string, string | undefined>>;

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** The harmless and needed part of the manager's: the language, the host's CA certificates. */
const handedOn = ['LANG', 'NODE_EXTRA_CA_CERTS'] as const;

/**
 * @param manager its environment; its PATH is searched for npm
 * @param own.nodeDirectory the directory of the Node for units, as they see it; it comes first in their PATH
 * @param own.home their home directory
 */
export function createEnvironments(manager: ManagerEnvironment, own: { nodeDirectory: string; home: string }) {
  const npmDirectory = (manager.PATH ?? '').split(delimiter).find((directory) => isProgram(join(directory, 'npm')));
  const path = [...new Set([own.nodeDirectory, ...systemPath, ...(npmDirectory ? [npmDirectory] : [])])];
  const base: Record<string, string> = { HOME: own.home, LANG: 'C.UTF-8' };
  for (const name of handedOn) {
    const value = manager[name];
    if (value) base[name] = value;
  }
  return {
    for: (given: Readonly<Record<string, string>>, port?: number) => ({
      ...base,
      ...given,
      PATH: path.join(delimiter),
      HOST: '127.0.0.1',
      ...(port === undefined ? {} : { PORT: String(port) }),
    }),
  };
}

export type Environments = ReturnType<typeof createEnvironments>;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
