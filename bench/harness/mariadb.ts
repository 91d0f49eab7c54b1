import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { freePort } from '../../scripts/demo/manager.ts';
import { run, type Stage } from './harness.ts';

export interface MariaDbServer {
  port: number;
  /** The URL of an account with all privileges. */
  adminUrl: string;
}

/** Starts Debian's MariaDB in the stage's directory; undefined if this machine has none. @param address where it listens */
export async function startMariaDb(stage: Stage, address = '127.0.0.1'): Promise<MariaDbServer | undefined> {
  const programs = ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db', '/usr/bin/mariadb-dump'];
  if (
    !(await Promise.all(programs.map((path) => access(path)))
      .then(() => true)
      .catch(() => false))
  )
    return undefined;
  const data = join(stage.directory, 'mariadb');
  const common = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${stage.directory}`, '--user=root'];
  await run('/usr/bin/mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const port = await freePort(0);
  const socketPath = join(stage.directory, 'mariadb.socket');
  const buffer = '--innodb-buffer-pool-size=512M';
  const child = spawn(
    '/usr/sbin/mariadbd',
    [...common, buffer, `--socket=${socketPath}`, `--port=${port}`, `--bind-address=${address}`],
    { stdio: 'ignore' },
  );
  stage.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  for (let tries = 0; ; tries += 1) {
    const connection = await createConnection({ socketPath, user: 'root' }).catch(() => undefined);
    if (connection) {
      await connection.query("CREATE USER 'admin'@'%' IDENTIFIED BY 'admin'");
      await connection.query("GRANT ALL ON *.* TO 'admin'@'%' WITH GRANT OPTION");
      await connection.end();
      return { port, adminUrl: `mysql://admin:admin@${address}:${port}` };
    }
    if (child.exitCode !== null || tries > 600) throw new Error('mariadbd did not start');
    await sleep(100);
  }
}
