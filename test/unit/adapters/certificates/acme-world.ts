import { createServer, type Server } from 'node:http';
import { type AcmeOptions, createAcme } from '../../../../src/adapters/certificates/acme/acme.ts';
import type { CertificateAuthority } from '../../../../src/adapters/certificates/certificates.ts';
import { systemClock } from '../../../../src/lib/clock.ts';

/** What a manager provides to its ACME client: account key storage, challenge answers, logger. */
export interface AcmeWorld {
  authority: CertificateAuthority;
  /** The saved account key; `saves` counts the writes. */
  account: { key: string | undefined; saves: number };
  /** Answers published now; `laid` lists all that were ever published. */
  answers: Map<string, string>;
  laid: string[];
  lines: string[];
  work(signal?: AbortSignal): { log(line: string): void; signal: AbortSignal };
}

/** Short pauses, so that tests do not wait. */
export const impatient = { requestMs: 10_000, orderMs: 60_000, pollMs: 50, retryDelaysMs: [10, 20] };

export function acmeWorld(
  options: Pick<AcmeOptions, 'directoryUrl' | 'caBundle'> & Partial<AcmeOptions>,
  key?: string,
): AcmeWorld {
  const account: AcmeWorld['account'] = { key, saves: 0 };
  const answers = new Map<string, string>();
  const laid: string[] = [];
  const lines: string[] = [];
  const authority = createAcme({
    email: 'operator@tenantry-test.example',
    clock: systemClock,
    limits: impatient,
    accounts: {
      load: async () => account.key,
      async save(made) {
        account.key = made;
        account.saves += 1;
      },
    },
    challenges: {
      async put(token, answer) {
        answers.set(token, answer);
        laid.push(token);
      },
      async remove(token) {
        answers.delete(token);
      },
    },
    ...options,
  });
  const work = (signal = new AbortController().signal): ReturnType<AcmeWorld['work']> => ({
    signal,
    log: (line) => void lines.push(line),
  });
  return { authority, account, answers, laid, lines, work };
}

/** A plain web server on port 80 that answers challenges with `answerOf` and records the requests. */
export async function serveChallenges(
  answerOf: (host: string, token: string) => string | undefined,
): Promise<{ asked: string[]; stop(): Promise<void> }> {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    const host = incoming.headers.host ?? '';
    const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(incoming.url ?? '')?.[1] ?? '';
    asked.push(`${host} ${token}`);
    const answer = answerOf(host, token);
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? 'not here');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(80, '127.0.0.1', resolve);
  });
  return { asked, stop: () => closed(server) };
}

export function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
