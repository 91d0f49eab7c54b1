import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { type Certificate, type CertificateAuthority, CertificateRefused } from './certificates.ts';
import { covers, isHostName } from './host-name.ts';
import { checkUse, readCertificate } from './read-certificate.ts';

const maxBytes = 256 * 1024;

interface Pair {
  chain: string;
  key: string;
}

/**
 * Certificates that the operator puts into a directory. For a name `app.example.org` the first existing pair of these counts:
 * `app.example.org.crt` + `.key`, `app.example.org/fullchain.pem` + `privkey.pem` (like certbot's `live`), and the wildcard
 * `_.example.org.crt` + `.key`. A name without own files may be covered by another name's. An invalid pair is an error, never
 * skipped. Symbolic links are followed.
 */
export function createOperatorFiles(options: { directory: string; clock: Clock }): CertificateAuthority {
  const { directory, clock } = options;
  return {
    source: 'files',
    id: 'files',
    async obtain(names, work) {
      const found = new Map<string, Certificate>();
      const bare: string[] = [];
      for (const name of names) {
        work.signal.throwIfAborted();
        const pair = await pairOf(directory, name);
        if (!pair) {
          bare.push(name);
          continue;
        }
        const certificate = await read(pair, name, clock.now());
        if (!found.has(certificate.fingerprint)) work.log(`Took the certificate of ${pair.chain} for ${name}`);
        found.set(certificate.fingerprint, certificate);
      }
      const certificates = [...found.values()];
      for (const name of bare) {
        const other = certificates.find((certificate) => covers(certificate, name));
        if (!other) throw new CertificateRefused(await whatIsMissing(directory, name));
        work.log(`The same certificate covers ${name}`);
      }
      return certificates;
    },
    // Revoking is up to the operator.
    revoke: async () => undefined,
  };
}

/** Possible paths of a pair for the name, the most specific first. A host name contains no `/` and is not `..`. */
function pathsFor(directory: string, name: string): Pair[] {
  if (!isHostName(name)) throw new CertificateRefused(`${name} is no host name`);
  const wildcard = `_${name.slice(name.indexOf('.'))}`;
  return [
    { chain: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) },
    { chain: join(directory, name, 'fullchain.pem'), key: join(directory, name, 'privkey.pem') },
    { chain: join(directory, `${wildcard}.crt`), key: join(directory, `${wildcard}.key`) },
  ];
}

/** The first path with at least one of the two files. */
async function pairOf(directory: string, name: string): Promise<Pair | undefined> {
  for (const pair of pathsFor(directory, name)) {
    if ((await isThere(pair.chain)) || (await isThere(pair.key))) return pair;
  }
  return undefined;
}

async function read(pair: Pair, name: string, now: Date): Promise<Certificate> {
  const chain = await readText(pair.chain);
  const key = await readText(pair.key);
  try {
    const certificate = readCertificate(chain, key);
    checkUse(certificate, { names: [name], now });
    return certificate;
  } catch (error) {
    throw new CertificateRefused(`${pair.chain} (with ${pair.key}): ${messageOf(error)}`, { cause: error });
  }
}

/** A dangling link counts as existing: it was meant to be used. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new CertificateRefused(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Only plain files, and no large ones: a pipe would block. */
async function readText(path: string): Promise<string> {
  try {
    const about = await stat(path);
    if (!about.isFile()) throw new CertificateRefused(`${path} is no file`);
    if (about.size > maxBytes) throw new CertificateRefused(`${path} is larger than ${maxBytes / 1024} KiB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof CertificateRefused) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it is missing, or links to nothing' : messageOf(error);
    throw new CertificateRefused(`${path}: ${reason}`, { cause: error });
  }
}

async function whatIsMissing(directory: string, name: string): Promise<string> {
  if (!(await isThere(directory))) return `the directory of certificates ${directory} does not exist`;
  const paths = pathsFor(directory, name).map(({ chain }) => chain);
  return `no certificate for ${name}: none of ${paths.join(', ')} exists (each with its key), and no other one covers it`;
}
