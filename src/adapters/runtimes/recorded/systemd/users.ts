import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { mustRun, runTool } from './programs.ts';

/** A system user of ours. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** Another program that changes passwd's files locks them. */
const lockedMs = 15_000;

/** System users without home or login, each with its own group. Their comment names the owner: foreign users are left alone. */
export function createUsers(instance: string) {
  const turns = new KeyedLock();
  const comment = `Tenantry ${instance}`;

  function parse(line: string): (SystemUser & { what: string | undefined }) | undefined {
    const [name, , uid, gid, gecos] = line.split(':');
    if (name === undefined || gecos === undefined) return undefined;
    const what = gecos.startsWith(`${comment} `) ? gecos.slice(comment.length + 1) : undefined;
    return { name, uid: Number(uid), gid: Number(gid), what };
  }

  async function find(name: string): Promise<SystemUser | undefined> {
    const { exitCode, output } = await runTool('getent', ['passwd', '--', name]);
    if (exitCode !== 0) return undefined;
    const found = parse(output.trim());
    if (found && found.what === undefined) throw new Error(`The user ${name} exists and is not of this manager's`);
    return found && { name: found.name, uid: found.uid, gid: found.gid };
  }

  /** Runs a program that changes passwd; retries while another one does. */
  async function change(program: string, args: string[], fine: readonly number[] = []): Promise<void> {
    const done = await poll(
      async () => {
        const { exitCode, output } = await runTool(program, args);
        if (exitCode === 0 || (exitCode !== null && fine.includes(exitCode))) return true;
        if (/cannot lock|try again later/.test(output)) return undefined;
        throw new Error(`${program} failed: ${output.trim()}`);
      },
      { timeoutMs: lockedMs },
    );
    if (!done) throw new Error(`${program} failed: another program holds the lock on the list of users`);
  }

  return {
    find,
    /** @param what its purpose, in the comment */
    ensure: (name: string, what: string) =>
      turns.run('users', async () => {
        const found = await find(name);
        if (found) return found;
        const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
        await change('useradd', [
          ...options,
          '--shell',
          '/usr/sbin/nologin',
          '--comment',
          `${comment} ${what}`,
          '--',
          name,
        ]);
        const made = await find(name);
        if (!made) throw new Error(`The user ${name} was created and does not exist`);
        return made;
      }),
    /** Its processes must have ended. */
    remove: (name: string) =>
      turns.run('users', async () => {
        if (!(await find(name))) return;
        // 6: the user does not exist. Otherwise userdel removes the group too.
        await change('userdel', ['--', name], [6]);
        await change('groupdel', ['--', name], [6]);
      }),
    /** All of this instance, with their purposes. */
    async list() {
      const lines = (await mustRun('getent', ['passwd'])).trim().split('\n');
      return lines.flatMap((line) => {
        const found = parse(line);
        return found?.what === undefined ? [] : [{ ...found, what: found.what }];
      });
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
