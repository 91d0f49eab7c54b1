import { constants } from 'node:os';
import type { UnitState } from '../../../runtime.ts';
import type { Generation } from '../../generations.ts';
import type { ServiceState } from './systemctl.ts';

/** What systemd says of the unit, in the house's words. @param live what should be; undefined: it has no generation */
export function unitState(live: Generation | undefined, service: ServiceState | undefined): UnitState {
  if (!live || !service) return { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };
  const { commit } = live.spec.release;
  if (service.activeState === 'active' && service.subState === 'running')
    return { state: 'active', commit, reason: null, gaveUp: false, startedAt: service.startedAt };
  const stopped = { state: 'inactive', commit, startedAt: null } as const;
  if (live.wanted === 'stopped') return { ...stopped, reason: null, gaveUp: false };
  // It is restarted whenever it ends: where that has ended, systemd has had enough of it.
  const gaveUp = service.activeState === 'failed';
  return { ...stopped, reason: reasonOf(service) + (gaveUp ? '; systemd has given up starting it' : ''), gaveUp };
}

/** Why a service that should run does not. */
export function reasonOf(service: ServiceState): string {
  if (service.loadState === 'not-found') return 'its unit file is missing';
  if (service.loadState !== 'loaded') return `systemd can not read its unit file (${service.loadState})`;
  if (service.activeState === 'activating' && service.subState !== 'auto-restart') return 'is being started';
  if (service.activeState === 'deactivating') return 'is being stopped';
  if (service.activeState === 'inactive') return 'stopped from outside';
  if (service.result === 'oom-kill') return 'ended as it used more memory than it may';
  if (service.exitKind === 1) return exited(service.exitStatus);
  if (service.exitKind > 1) return `ended by ${signalName(service.exitStatus)}`;
  return `failed (${service.result})`;
}

/** systemd's own, from before the program began (systemd.exec(5), "Process Exit Codes"). */
const setupFailures: Readonly<Record<number, string>> = {
  200: 'its working directory is not there',
  203: 'its start line can not be run',
  217: 'its user is not there',
  226: 'its places can not be made ready',
};

function exited(status: number): string {
  const setup = setupFailures[status];
  return `exited with code ${status}${setup === undefined ? '' : ` (${setup})`}`;
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}
