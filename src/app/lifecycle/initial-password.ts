import { join } from 'node:path';
import type { FirstAdmin } from '../../features/accounts/users/first-admin.ts';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { rm } from '../../lib/files/changes.ts';

export interface InitialPassword {
  path: string;
  /** Writes a generated password, readable by the manager's user only. */
  keep(password: string): Promise<void>;
  remove(): Promise<void>;
}

/** The file that holds the first administrator's generated password until it is changed. */
export function initialPasswordIn(dataDirectory: string): InitialPassword {
  const path = join(dataDirectory, 'initial-admin-password');
  return {
    path,
    keep: (password) => writeFileAtomic(path, `${password}\n`),
    remove: () => rm(path, { force: true }),
  };
}

/** What the start prints about a new administrator: the password itself only on a terminal, since a service's output is logged. */
export const firstAdminNotice = ({ username, password }: FirstAdmin, path: string, terminal: boolean): string =>
  [
    '',
    `Administrator: ${username}`,
    ...(terminal ? [`Password:      ${password}`] : []),
    `Password file: ${path} (removed when the password is changed at the first sign-in)`,
    '',
  ].join('\n');
