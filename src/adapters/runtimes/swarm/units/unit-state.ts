import { constants } from 'node:os';
import { label } from '../../engine/labels.ts';
import type { UnitExit, UnitObstacle, UnitState } from '../../runtime.ts';
import type { Service } from '../client/services.ts';
import { hasEnded, isWanted, type Nodes, type Task } from '../client/tasks.ts';

export const noUnit: UnitState = { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };

/** The task that runs a service, or is to: of its specification now, not of one before a restart. */
export const currentTask = (service: Service, tasks: readonly Task[]): Task | undefined =>
  tasks.find((task) => task.serviceId === service.id && task.forced === service.forced && isWanted(task));

/** Whether a task runs as far as anybody knows: a task on a node that is down keeps its last state for a day. */
export const isRunning = (task: Task | undefined, nodes: Nodes): task is Task & { nodeId: string } =>
  task?.state === 'running' && task.nodeId !== undefined && nodes.get(task.nodeId)?.ready === true;

/**
 * Translates the tasks of a live service (the newest first); replica counts prove nothing.
 * @param outOfMemory whether the task's container was ended for using too much memory
 */
export function unitState(
  service: Service,
  tasks: readonly Task[],
  nodes: Nodes,
  outOfMemory: (task: Task) => boolean = () => false,
): UnitState {
  const task = currentTask(service, tasks);
  const { [label.commit]: commit = null, [label.generation]: generation } = service.labels;
  const inactive: UnitState = { ...noUnit, commit, generation };
  if (service.labels[label.desired] !== 'running') return inactive;
  if (service.replicas === 0) return { ...inactive, reason: 'Scaled to 0', obstacle: 'stopped_outside' };
  const own = tasks.filter((each) => each.serviceId === service.id && each.forced === service.forced);
  const restarts = own.filter(isFailure).length;
  if (isRunning(task, nodes)) return { ...inactive, state: 'active', startedAt: new Date(task.since), restarts };

  // Failures of long ago, before the run that a lost node has ended, say nothing.
  const last = task && hasEnded(task) ? task : own.find((each) => each !== task);
  const ending = last && isFailure(last) ? endingOf(last, outOfMemory) : undefined;
  const { MaxAttempts: limit = 0 } = service.spec.TaskTemplate?.RestartPolicy ?? {};
  const ended = ending && last ? exitOf(last, restarts, outOfMemory) : {};
  if (!task && ending)
    return { ...inactive, reason: `${ending}; given up after ${limit} restarts`, gaveUp: true, ...ended };
  if (ending) return { ...inactive, reason: `${ending}; starts again`, ...ended };
  const lost = tasks.find((each) => each.serviceId === service.id && !hasEnded(each) && isLost(each, nodes));
  const where =
    lost && `The node ${nodes.get(lost.nodeId ?? '')?.name ?? lost.nodeId} is down, what runs there is unknown`;
  const waits = task && task !== lost ? waitingFor(task, nodes) : undefined;
  const waiting = [where, waits].filter((part) => part !== undefined).join('; ');
  if (waiting === '' && service.updateFailure !== undefined) return { ...inactive, reason: service.updateFailure };
  const obstacle: UnitObstacle | undefined = lost ? 'node_down' : isUnplaced(task) ? 'no_node' : undefined;
  const startedAt = task !== lost && task?.state === 'starting' ? new Date(task.since) : null;
  return { ...inactive, reason: waiting || 'Swarm has not started it yet', waiting: true, startedAt, obstacle };
}

/** Swarm says why it finds no node for it. */
const isUnplaced = (task: Task | undefined): boolean =>
  task !== undefined && !hasEnded(task) && task.nodeId === undefined && task.error !== undefined;

/** One that Swarm ended is `shutdown`. */
const isFailure = ({ state }: Task): boolean => state === 'failed' || state === 'rejected' || state === 'complete';

const isLost = ({ nodeId }: Task, nodes: Nodes): boolean => nodeId !== undefined && nodes.get(nodeId)?.ready !== true;

/** How a task ended, for programs; one without an exit code could not be started. */
function exitOf(
  task: Task,
  restarts: number,
  outOfMemory: (task: Task) => boolean,
): Pick<UnitState, 'lastExit' | 'restarts' | 'obstacle'> {
  if (/unhealthy container$/.test(task.error ?? '')) return { restarts, obstacle: 'unhealthy' };
  if (!isExit(task) && !outOfMemory(task)) return { restarts, obstacle: 'cannot_start' };
  const { exitCode: code } = task;
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0] ?? null;
  const lastExit: UnitExit = {
    code,
    signal,
    outOfMemory: outOfMemory(task),
    startedAt: null,
    at: new Date(task.since),
  };
  return { restarts, lastExit };
}

/** Swarm's own words for an exit code: "task: non-zero exit (3)". */
const isExit = ({ state, error }: Task): boolean =>
  state === 'complete' || /^task: non-zero exit \(\d+\)/.test(error ?? '');

function endingOf(task: Task, outOfMemory: (task: Task) => boolean): string {
  if (outOfMemory(task)) return 'Out of memory';
  if (!isExit(task)) return task.error ?? task.state;
  const said = task.error?.replace(/^task: non-zero exit \(\d+\):? ?/, '');
  return `Exit code ${task.exitCode}${said ? ` (${said})` : ''}`;
}

function waitingFor({ state, error, nodeId = '' }: Task, nodes: Nodes): string {
  const on = nodes.get(nodeId)?.name ?? nodeId;
  if (nodeId === '') return error === undefined ? 'Waiting for a node' : `Not started: ${error}`;
  const progress = state === 'starting' ? `Started, no answer yet on ${on}` : `Being prepared on ${on}`;
  return error === undefined ? progress : `${progress}: ${error}`;
}
