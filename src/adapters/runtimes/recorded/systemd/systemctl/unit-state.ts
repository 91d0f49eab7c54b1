import { constants } from 'node:os';
import type { UnitExit, UnitState } from '../../../runtime.ts';
import type { Generation } from '../../generations.ts';
import type { ServiceState } from './systemctl.ts';

/** Translates systemd's state of the unit. @param live its desired generation; undefined: it has none */
export function unitState(live: Generation | undefined, service: ServiceState | undefined): UnitState {
  if (!live || !service) return { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };
  const { commit } = live.spec.release;
  if (service.activeState === 'active' && service.subState === 'running')
    return {
      state: 'active',
      commit,
      reason: null,
      gaveUp: false,
      startedAt: service.startedAt,
      restarts: service.restarts,
    };
  const stopped = { state: 'inactive', commit, startedAt: null } as const;
  if (live.wanted === 'stopped') return { ...stopped, reason: null, gaveUp: false };
  // It is restarted whenever it exits: if it has ended, systemd has given up.
  const gaveUp = service.activeState === 'failed';
  const reason = reasonOf(service) + (gaveUp ? '; systemd has given up starting it' : '');
  return { ...stopped, reason, gaveUp, ...endOf(service) };
}

/** How it ended, for programs. */
function endOf(service: ServiceState): Pick<UnitState, 'lastExit' | 'restarts' | 'obstacle'> {
  const { loadState, activeState, result, exitKind, exitStatus, restarts } = service;
  if (loadState === 'not-found') return { obstacle: 'missing' };
  if (loadState !== 'loaded') return { obstacle: 'cannot_start' };
  if (activeState === 'inactive') return { obstacle: 'stopped_outside', restarts };
  const outOfMemory = result === 'oom-kill';
  const exit: UnitExit = { code: null, signal: null, outOfMemory, startedAt: service.startedAt, at: null };
  if (exitKind > 1) return { restarts, lastExit: { ...exit, signal: signalName(exitStatus) } };
  if (exitKind !== 1) return { restarts, ...(outOfMemory ? { lastExit: exit } : {}) };
  const lastExit = { ...exit, code: exitStatus };
  return { restarts, lastExit, ...(exitStatus in setupFailures ? { obstacle: 'cannot_start' } : {}) };
}

/** Why a service that should run does not. */
export function reasonOf(service: ServiceState): string {
  if (service.loadState === 'not-found') return 'its unit file is missing';
  if (service.loadState !== 'loaded') return `systemd cannot read its unit file (${service.loadState})`;
  if (service.activeState === 'activating' && service.subState !== 'auto-restart') return 'is being started';
  if (service.activeState === 'deactivating') return 'is being stopped';
  if (service.activeState === 'inactive') return 'stopped from outside';
  if (service.result === 'oom-kill') return 'killed because it exceeded its memory limit';
  if (service.exitKind === 1) return exited(service.exitStatus);
  if (service.exitKind > 1) return `ended by ${signalName(service.exitStatus)}`;
  return `failed (${service.result})`;
}

/** systemd's own exit codes, from before the program started (systemd.exec(5), "Process Exit Codes"). */
const setupFailures: Readonly<Record<number, string>> = {
  200: 'its working directory is missing',
  203: 'its start line cannot be run',
  217: 'its user is missing',
  226: 'its directories cannot be prepared',
};

function exited(status: number): string {
  const setup = setupFailures[status];
  return `exited with code ${status}${setup === undefined ? '' : ` (${setup})`}`;
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}
