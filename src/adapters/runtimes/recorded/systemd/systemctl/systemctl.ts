import type { Runtime } from '../../../runtime.ts';
import { mustRun, runTool } from '../programs.ts';

/**
 * Has systemd reload its unit files. That blocks it for all units of the machine: callers during a reload share the next one,
 * which sees all their changes.
 */
export function createReload(): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= underWay
      .catch(() => undefined)
      .then(async () => {
        next = undefined;
        const reading = systemctl('daemon-reload');
        underWay = reading;
        await reading;
      });
    return next;
  };
}

/** Older versions are untested; 252 is Debian 12's. */
const oldestVersion = 252;

/** A unit's properties at systemd, '' if missing. */
export interface ServiceState {
  name: string;
  loadState: string;
  activeState: string;
  subState: string;
  result: string;
  /** 1: exited; 2: killed; 3: dumped core. */
  exitKind: number;
  /** Its exit code or the signal's number, by `exitKind`. */
  exitStatus: number;
  mainPid: number;
  restarts: number;
  startedAt: Date | null;
  fragmentPath: string;
}

const properties = [
  'Id',
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
  'ExecMainStartTimestamp',
  'MainPID',
  'NRestarts',
  'FragmentPath',
];

/** @throws AppError `runtime_unavailable`; Error when systemctl fails */
export const systemctl = (...args: string[]): Promise<string> => mustRun('systemctl', args);

/** No change to make (nothing loaded, nothing to stop) is success. @throws AppError `runtime_unavailable` */
export async function systemctlIfAny(...args: string[]): Promise<void> {
  await runTool('systemctl', args);
}

/** The services of these names, in order. */
export async function showServices(names: readonly string[]): Promise<ServiceState[]> {
  if (names.length === 0) return [];
  const output = await systemctl('show', '--timestamp=us+utc', `--property=${properties.join(',')}`, '--', ...names);
  return output
    .trim()
    .split(/\n\n+/)
    .map((block) => parseShow(block));
}

/** The one service of a name. */
export async function showService(name: string): Promise<ServiceState> {
  const [state] = await showServices([name]);
  if (!state) throw new Error(`systemctl show returned nothing about ${name}`);
  return state;
}

/** Names of the loaded units of a pattern, without recently queried units that do not exist. */
export async function loadedUnits(pattern: string): Promise<string[]> {
  const output = await systemctl('list-units', '--all', '--plain', '--no-legend', '--full', '--', pattern);
  return output.split('\n').flatMap((line) => {
    const [name, load, active] = line.trim().split(/\s+/, 3);
    return !name || (load === 'not-found' && active === 'inactive') ? [] : name;
  });
}

/** Whether systemd runs this machine and accepts our requests. Never throws. */
export async function availability(): ReturnType<Runtime['availability']> {
  try {
    const version = await readVersion();
    if (version < oldestVersion)
      return { available: false, reason: `systemd ${version} is too old: ${oldestVersion} or newer is needed` };
    const { output } = await runTool('systemctl', ['is-system-running']);
    if (!/^(running|degraded|starting|initializing|maintenance)$/m.test(output.trim()))
      return { available: false, reason: `systemd does not run this machine (${output.trim() || 'no answer'})` };
    if (process.getuid?.() !== 0)
      return { available: false, reason: 'the manager must run as root to create units and users' };
    return { available: true, version: `systemd ${version}` };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The number of systemd's version. */
export async function readVersion(): Promise<number> {
  const output = await mustRun('systemctl', ['--version']);
  const version = /^systemd (\d+)/.exec(output)?.[1];
  if (version === undefined) throw new Error(`systemctl --version printed ${output.split('\n', 1)[0]}`);
  return Number(version);
}

function parseShow(block: string): ServiceState {
  const values = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const text = (name: string): string => values.get(name) ?? '';
  return {
    name: text('Id'),
    loadState: text('LoadState'),
    activeState: text('ActiveState'),
    subState: text('SubState'),
    result: text('Result'),
    exitKind: Number(text('ExecMainCode')),
    exitStatus: Number(text('ExecMainStatus')),
    mainPid: Number(text('MainPID')),
    restarts: Number(text('NRestarts')),
    startedAt: parseTime(text('ExecMainStartTimestamp')),
    fragmentPath: text('FragmentPath'),
  };
}

/** `Sat 2026-11-21 07:59:59.239682 UTC` */
function parseTime(text: string): Date | null {
  const found = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d* UTC/.exec(text);
  return found ? new Date(`${found[1]}T${found[2]}Z`) : null;
}
