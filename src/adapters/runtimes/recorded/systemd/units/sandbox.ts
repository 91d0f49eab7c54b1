import type { UnitLimits } from '../../../runtime.ts';

/** One setting of a `[Service]` section; a list of words is quoted where it is written down. */
export type Setting = readonly [name: string, value: string | readonly Word[]];

/** A word, or two of them tied by a colon (a path outside, and where it is seen inside). */
export type Word = string | readonly [from: string, to: string];

/** Where a unit sees what is its own: the rest of the manager's data can't be reached from inside. */
export const inside = { app: '/srv/app', data: '/srv/data', node: '/srv/node', temporary: '/tmp' } as const;

/** Which paths outside those are. */
export interface SandboxPlaces {
  checkout: string;
  /** Only an install may write into its checkout. */
  checkoutWritable: boolean;
  nodeDirectory: string;
  /** A directory that several share as their /tmp; else each has one of its own, as long as it runs. */
  temporary?: string;
  /** What the unit may write to, each with its place inside. */
  writable: readonly (readonly [from: string, to: string])[];
}

/**
 * The walls around code that others wrote, for units, jobs and installs alike: a user of its own without any privilege, a file system
 * that is read-only but for what is bound in, and of the kernel what a Node application needs.
 */
export function sandbox(user: string, places: SandboxPlaces): Setting[] {
  const checkout = [places.checkout, inside.app] as const;
  const readOnly: Word[] = [[places.nodeDirectory, inside.node], ...(places.checkoutWritable ? [] : [checkout])];
  const { temporary } = places;
  const writable: Word[] = [
    ...(temporary === undefined ? [] : [[temporary, inside.temporary] as const]),
    ...places.writable,
    ...(places.checkoutWritable ? [checkout] : []),
  ];
  return [
    ['User', user],
    ['Group', user],
    ['UMask', '0077'],
    ['WorkingDirectory', inside.app],
    // An empty /srv of its own, in which the tenant's places appear.
    ['TemporaryFileSystem', '/srv:ro,mode=0755'],
    ['BindReadOnlyPaths', readOnly],
    ...(writable.length > 0 ? [['BindPaths', writable] as const] : []),
    ['ProtectSystem', 'strict'],
    // Empty, not only closed: the manager's Node may lie below, and is bound to another place.
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
    // Netlink: os.networkInterfaces() throws without it, and web frameworks call it when they start.
    ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
    ['SystemCallArchitectures', 'native'],
    ['SystemCallFilter', '@system-service'],
    // What Node tries and can do without is refused, not punished by the end of the process.
    ['SystemCallErrorNumber', 'EPERM'],
    // A core holds the environment, secrets included. (MemoryDenyWriteExecute is left out: V8 writes the code that it runs.)
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
