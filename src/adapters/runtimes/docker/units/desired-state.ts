import { constants } from 'node:os';
import type { ContainerInspectInfo, HostRestartPolicy } from 'dockerode';
import { label } from '../../engine/labels.ts';
import type { UnitExit, UnitObstacle, UnitState } from '../../runtime.ts';

/**
 * A unit's desired state is stored at the engine as its container's restart policy, so it survives restarts of the manager and
 * the engine, and is visible at the container: `unless-stopped` is to run, `no` is to be stopped, `on-failure` was given up.
 */
export type Desired = 'running' | 'stopped' | 'given-up';

const policies: Record<Desired, HostRestartPolicy> = {
  running: { Name: 'unless-stopped' },
  stopped: { Name: 'no' },
  'given-up': { Name: 'on-failure', MaximumRetryCount: 1 },
};

export const policyFor = (desired: Desired): HostRestartPolicy => policies[desired];

export function desiredState(info: Pick<ContainerInspectInfo, 'HostConfig'>): Desired {
  const name = info.HostConfig.RestartPolicy?.Name;
  if (name === 'unless-stopped') return 'running';
  return name === 'on-failure' ? 'given-up' : 'stopped';
}

/** True while its process runs, not in a delay between two restarts. */
export function isRunning({ State: state }: Pick<ContainerInspectInfo, 'State'>): boolean {
  return state.Running && !state.Restarting && !state.Paused;
}

type Inspected = Pick<ContainerInspectInfo, 'State' | 'HostConfig' | 'RestartCount'> & {
  Config: Pick<ContainerInspectInfo['Config'], 'Labels'>;
};

/** Translates the engine's state of a container. */
export function unitState(info: Inspected): UnitState {
  const active = isRunning(info);
  const startedAt = new Date(info.State.StartedAt);
  return {
    state: active ? 'active' : 'inactive',
    commit: info.Config.Labels[label.commit] ?? null,
    reason: active ? null : reasonOf(info),
    // Not while the engine still starts it again: it is about to be halted.
    gaveUp: !active && !info.State.Restarting && desiredState(info) === 'given-up',
    // The engine's "never" is the year 1.
    startedAt: startedAt.getTime() > 0 ? startedAt : null,
    restarts: info.RestartCount,
    lastExit: exitOf(info),
    obstacle: obstacleOf(info),
    generation: info.Config.Labels[label.generation],
  };
}

/** How its last run ended; the engine keeps nothing of it once the container runs again. */
function exitOf({ State: state }: Inspected): UnitExit | undefined {
  const at = new Date(state.FinishedAt);
  if ((state.Running && !state.Restarting) || at.getTime() <= 0 || Number.isNaN(at.getTime())) return undefined;
  const { ExitCode: code, OOMKilled: outOfMemory } = state;
  // The engine reports a signal as a code above 128.
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0] ?? null;
  return { code, signal, outOfMemory, startedAt: new Date(state.StartedAt), at };
}

function obstacleOf(info: Inspected): UnitObstacle | undefined {
  const { State: state } = info;
  if (state.Paused) return 'paused';
  if (state.Restarting || isRunning(info) || desiredState(info) !== 'running') return undefined;
  if (state.Error !== '') return 'cannot_start';
  return state.Status === 'exited' || state.Status === 'dead' ? 'stopped_outside' : undefined;
}

function reasonOf(info: Inspected): string | null {
  const { State: state, RestartCount: count } = info;
  if (state.Paused) return 'Paused';
  const desired = desiredState(info);
  if (desired === 'stopped') return null;
  if (state.Restarting) return `${ending(state)}; starts again (restart ${count})`;
  if (desired === 'given-up') return `${ending(state)}; given up after ${count} restarts`;
  if (state.Error !== '') return state.Error;
  // To be running and yet ended for good: stopped at the engine. Never started: no reason to give.
  return state.Status === 'exited' || state.Status === 'dead' ? `${ending(state)}; stopped from outside` : null;
}

function ending(state: ContainerInspectInfo['State']): string {
  return state.OOMKilled ? 'Out of memory' : `Exit code ${state.ExitCode}`;
}
