/** A program that attempts, as a unit, what a unit must not do, and reports the result of each attempt. */
export const attempts = `
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const paths = JSON.parse(process.env.PATHS);
const attempt = (act) => {
  try { act(); return 'ok'; } catch (error) { return error.code ?? String(error); }
};
const write = (directory) => attempt(() => fs.writeFileSync(directory + '/tenantry-was-here', 'x'));
const read = (path) => attempt(() => fs.readFileSync(path));
const exitCode = (program, ...args) => {
  const { status, error } = spawnSync(program, args, { timeout: 10_000 });
  return status ?? error?.code ?? 'killed';
};
fs.writeFileSync('/srv/data/program', '#!/bin/sh\\nid\\n');

console.log('ATTEMPTS ' + JSON.stringify({
  uid: process.getuid(),
  allowed: { data: write('/srv/data'), imports: write(paths.imports), temporary: write('/tmp') },
  refused: {
    'write /etc': write('/etc'),
    'write /usr': write('/usr/local/bin'),
    'write /var/lib': write('/var/lib'),
    'write /run': write('/run'),
    'write /root': write('/root'),
    'write /srv': write('/srv'),
    'write its checkout': write('/srv/app'),
    'write where everybody may': write(paths.openToAll),
    'write its own directory on the host': write(paths.ownDirectory),
    'write data of another': write(paths.otherData),
    'read environment of another': read(paths.otherEnvironment),
    'read the record': read(paths.record),
    'read shadow': read('/etc/shadow'),
    'become root': attempt(() => process.setuid(0)),
    'join group root': attempt(() => process.setgroups([0])),
    'make a set-user-id program': attempt(() => fs.chmodSync('/srv/data/program', 0o4755)),
    'signal another': attempt(() => process.kill(Number(process.env.OTHER_PID), 'SIGKILL')),
    'change the kernel': attempt(() => fs.writeFileSync('/proc/sys/kernel/hostname', 'x')),
  },
  programs: {
    mount: exitCode('mount', '-t', 'tmpfs', 'none', '/tmp'),
    unshare: exitCode('unshare', '--user', '--map-root-user', 'id'),
    setpriv: exitCode('setpriv', '--reuid=0', 'id'),
    chroot: exitCode('chroot', '/', 'id'),
    'stop another': exitCode('systemctl', '--no-ask-password', 'stop', 'dbus.service'),
  },
  processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)),
  status: Object.fromEntries(
    [...fs.readFileSync('/proc/self/status', 'utf8').matchAll(/^(Cap\\w+|NoNewPrivs|Seccomp):\\s*(.*)$/gm)].map((match) => match.slice(1)),
  ),
}));
`;
