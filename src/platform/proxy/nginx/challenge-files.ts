import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../kernel/atomic-file.ts';
import type { ReverseProxy } from '../proxy.ts';
import type { Layout } from './options.ts';

/** HTTP-01 answers as files that nginx's workers, who are another user, may read. Tokens are base64url (RFC 8555, 8.1). */
export function challengeFiles(layout: Layout): NonNullable<ReverseProxy['challenges']> {
  const pathOf = (token: string): string => {
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(token)) throw new Error('The token of a challenge must be base64url');
    return join(layout.challenges, token);
  };
  return {
    async put(token, keyAuthorization) {
      const path = pathOf(token);
      await writeFileAtomic(path, keyAuthorization, 0o644);
      // Whatever the manager's umask is.
      await chmod(path, 0o644);
    },
    remove: async (token) => rm(pathOf(token), { force: true }),
  };
}
