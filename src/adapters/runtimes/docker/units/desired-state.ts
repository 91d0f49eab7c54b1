import type { ContainerInspectInfo, HostRestartPolicy } from 'dockerode';
import type { UnitState } from '../../runtime.ts';
import { label } from '../labels.ts';

/**
 * What a unit should be doing is kept at the engine as its container's restart policy, so it outlives the manager and a
 * restart of the engine, and who looks at the container sees it too:
 * `unless-stopped` wanted running, `no` wanted stopped, `on-failure` the manager gave up restarting it.
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

/** True while its process runs, not in a pause between two attempts. */
export function isRunning({ State: state }: Pick<ContainerInspectInfo, 'State'>): boolean {
  return state.Running && !state.Restarting && !state.Paused;
}

type Inspected = Pick<ContainerInspectInfo, 'State' | 'HostConfig' | 'RestartCount'> & {
  Config: Pick<ContainerInspectInfo['Config'], 'Labels'>;
};

/** What the engine says of a container, in our words. */
export function unitState(info: Inspected): UnitState {
  const active = isRunning(info);
  const startedAt = new Date(info.State.StartedAt);
  return {
    state: active ? 'active' : 'inactive',
    commit: info.Config.Labels[label.commit] ?? null,
    reason: active ? null : reasonOf(info),
    gaveUp: !active && desiredState(info) === 'given-up',
    // The engine's "never" is the year 1.
    startedAt: startedAt.getTime() > 0 ? startedAt : null,
  };
}

function reasonOf(info: Inspected): string | null {
  const { State: state, RestartCount: count } = info;
  if (state.Paused) return 'Paused';
  const desired = desiredState(info);
  if (desired === 'stopped') return null;
  if (desired === 'given-up') return `${ending(state)}; given up after ${count} restarts`;
  if (state.Restarting) return `${ending(state)}; starts again (restart ${count})`;
  if (state.Error !== '') return state.Error;
  // Wanted running and yet ended for good: somebody stopped it at the engine. Never started: nothing to tell.
  return state.Status === 'exited' || state.Status === 'dead' ? `${ending(state)}; stopped from outside` : null;
}

function ending(state: ContainerInspectInfo['State']): string {
  return state.OOMKilled ? 'Out of memory' : `Exit code ${state.ExitCode}`;
}
