import type { UnitLimits } from '../../../runtime.ts';

/** One setting of a `[Service]` section; a list of words is quoted when it is written. */
export type Setting = readonly [name: string, value: string | readonly Word[]];

/** A word, or two of them joined by a colon (a path outside, and its path inside). */
export type Word = string | readonly [from: string, to: string];

/** Paths of a unit's own directories inside the sandbox: the rest of the manager's data is not reachable. */
export const inside = { app: '/srv/app', data: '/srv/data', node: '/srv/node', temporary: '/tmp' } as const;

/** Their paths outside. */
export interface SandboxPaths {
  checkout: string;
  /** Only an install may write into its checkout. */
  checkoutWritable: boolean;
  nodeDirectory: string;
  /** A directory that several share as their /tmp; default: a private one, as long as it runs. */
  temporary?: string;
  /** What the unit may write to, each with its path inside. */
  writable: readonly (readonly [from: string, to: string])[];
}

/**
 * The sandbox around foreign code, for units, jobs and installs alike: an unprivileged user of its own, a file system that is
 * read-only except for bound directories, and only the kernel features a Node application needs.
 */
export function sandbox(user: string, paths: SandboxPaths): Setting[] {
  const checkout = [paths.checkout, inside.app] as const;
  const readOnly: Word[] = [[paths.nodeDirectory, inside.node], ...(paths.checkoutWritable ? [] : [checkout])];
  const { temporary } = paths;
  const writable: Word[] = [
    ...(temporary === undefined ? [] : [[temporary, inside.temporary] as const]),
    ...paths.writable,
    ...(paths.checkoutWritable ? [checkout] : []),
  ];
  return [
    ['User', user],
    ['Group', user],
    ['UMask', '0077'],
    ['WorkingDirectory', inside.app],
    // A private empty /srv, in which the tenant's directories appear.
    ['TemporaryFileSystem', '/srv:ro,mode=0755'],
    ['BindReadOnlyPaths', readOnly],
    ...(writable.length > 0 ? [['BindPaths', writable] as const] : []),
    ['ProtectSystem', 'strict'],
    // Empty, not only closed: the manager's Node may be below, and is bound to another path.
    ['ProtectHome', 'tmpfs'],
    ...(temporary === undefined ? [['PrivateTmp', 'yes'] as const] : []),
    ['PrivateDevices', 'yes'],
    ['NoNewPrivileges', 'yes'],
    ['CapabilityBoundingSet', ''],
    ['AmbientCapabilities', ''],
    ['ProtectProc', 'invisible'],
    ['ProtectKernelTunables', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectKernelLogs', 'yes'],
    ['ProtectControlGroups', 'yes'],
    ['ProtectClock', 'yes'],
    ['ProtectHostname', 'yes'],
    ['RestrictNamespaces', 'yes'],
    ['RestrictSUIDSGID', 'yes'],
    ['RestrictRealtime', 'yes'],
    ['LockPersonality', 'yes'],
    ['RemoveIPC', 'yes'],
    ['KeyringMode', 'private'],
    // Netlink: os.networkInterfaces() throws without it, and web frameworks call it at start.
    ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
    ['SystemCallArchitectures', 'native'],
    ['SystemCallFilter', '@system-service'],
    // Calls that Node tries and does not need fail, instead of killing the process.
    ['SystemCallErrorNumber', 'EPERM'],
    // A core dump contains the environment, secrets included. (MemoryDenyWriteExecute is omitted: V8 writes the code that it
    // runs.)
    ['LimitCORE', '0'],
  ];
}

/** What a unit may use. */
export function limitSettings({ memoryMb, cpus, pids }: UnitLimits): Setting[] {
  return [
    ['MemoryMax', `${memoryMb}M`],
    ['CPUQuota', `${Math.max(1, Math.round(cpus * 100))}%`],
    ['TasksMax', String(pids)],
  ];
}
