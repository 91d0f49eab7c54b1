import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Container } from 'dockerode';
import { extract } from 'tar-fs';
import { mkdtemp, rm } from '../../../../lib/files/changes.ts';
import { callDocker, getOrUndefined } from '../client/errors.ts';

/** Numeric ids of the user that an image's program runs as. */
export interface Owner {
  uid: number;
  gid: number;
}

const maxFileBytes = 4 * 1024 ** 2;

/** The users of images. An image never changes, so its files are read once: the engine takes a tenth of a second for them. */
export class ImageUsers {
  readonly #known = new Map<string, Owner>();

  /**
   * The user of a container (which need not have run yet): the image has a number, or a name that only the image's own
   * /etc/passwd and /etc/group resolve.
   */
  async ownerIn(container: Container): Promise<Owner> {
    const { Config: config, Image: image } = await callDocker(() => container.inspect());
    const spec = config.User ?? '';
    const [user = '', group] = spec.split(':');
    if (isNumber(user) && group !== undefined && isNumber(group)) return { uid: Number(user), gid: Number(group) };
    const key = `${image} ${spec}`;
    const owner =
      this.#known.get(key) ??
      resolveOwner(spec, await textOf(container, '/etc/passwd'), await textOf(container, '/etc/group'));
    this.#known.set(key, owner);
    return owner;
  }
}

/**
 * The ids of `user`, `user:group`, or nothing (root), resolved like the engine does.
 * @throws Error for a name that is in neither file
 */
export function resolveOwner(spec: string, passwd: string, group: string): Owner {
  const [userName = '', groupName] = spec.split(':');
  const name = userName === '' ? '0' : userName;
  const entry = fieldsOf(passwd).find((fields) => fields[0] === name || (isNumber(name) && fields[2] === name));
  const uid = entry?.[2] ?? name;
  const gid = groupName === undefined ? (entry?.[3] ?? '0') : groupNumber(groupName, group);
  if (!isNumber(uid) || !isNumber(gid))
    throw new Error(`The image's user ${spec} is not in its /etc/passwd or /etc/group`);
  return { uid: Number(uid), gid: Number(gid) };
}

function groupNumber(name: string, group: string): string {
  return fieldsOf(group).find((fields) => fields[0] === name)?.[2] ?? name;
}

const fieldsOf = (file: string): string[][] => file.split('\n').map((line) => line.split(':'));
const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** A small file of a container; empty when it is missing. The image is the tenant's: only a plain file is read. */
async function textOf(container: Container, path: string): Promise<string> {
  const archive = await getOrUndefined(() => container.getArchive({ path }));
  if (!archive) return '';
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-file-'));
  try {
    const unpacked = extract(directory, { ignore: (_name, header) => header?.type !== 'file' });
    await callDocker(() => pipeline(archive, limited(path), unpacked));
    return await readFile(join(directory, path.split('/').at(-1) ?? ''), 'utf8').catch(() => '');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function limited(path: string): Transform {
  let left = maxFileBytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? new Error(`${path} of the image is larger than ${maxFileBytes / 1024 ** 2} MiB`) : null, chunk);
    },
  });
}
