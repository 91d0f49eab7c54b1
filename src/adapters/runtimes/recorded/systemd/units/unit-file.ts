import type { UnitSpec } from '../../../runtime.ts';
import { shell } from '../../../shell-line.ts';
import { quoted } from './quoting.ts';
import { limitSettings, type SandboxPaths, type Setting, sandbox, type Word } from './sandbox.ts';

/** Plain words, as in `node server.mjs --port=1`: no shell syntax. */
const plainWords = /^[\w./:@%+,-][\w./:@%+,=-]*( +[\w./:@%+,=-]+)*$/;
/** Shell built-ins. */
const shellWords =
  /^(\.|:|alias|cd|command|eval|exec|exit|export|read|set|shift|source|times|trap|ulimit|umask|unset|wait)( |$)/;

/**
 * How a tenant repository's start line is run and stopped. For a line of one program the shell is replaced by it, so that it
 * gets the SIGTERM itself, once. Otherwise the shell stays and all processes get the SIGTERM, as it does not forward it.
 * @throws Error for a line that can't be in a unit file
 */
export function startLine(line: string): { execStart: string; killMode: 'mixed' | 'control-group' } {
  const single = plainWords.test(line) && !shellWords.test(line) && !/^\w+=/.test(line);
  return {
    // The colon: systemd expands no variables, `$` is the shell's.
    execStart: `:${shell} -c ${quoted(single ? `exec ${line}` : line)}`,
    killMode: single ? 'mixed' : 'control-group',
  };
}

/** The input of a unit file. */
export interface UnitFacts {
  spec: UnitSpec;
  /** Identifies this manager among others of the host. */
  instance: string;
  generation: string;
  user: string;
  paths: SandboxPaths;
  /** Absolute, mode 0600: readable by systemd, not by the unit's user. */
  environmentFile: string;
  /** systemd's version. */
  version: number;
}

/** `RestartSteps=` is new in it. */
const growingPausesSince = 254;
/** systemd gives up after this many starts in this time; the delays of ten starts take four minutes. */
const giveUp = { starts: 10, withinSeconds: 600 };

/**
 * A unit file for `systemd.service(5)`. Outside values (the start line, paths) are quoted; secrets are only in the environment
 * file. Equal facts give equal text.
 * @throws Error when a value can't be in a unit file, or the unit has no start line
 */
export function renderUnit(facts: UnitFacts): string {
  const { spec, instance, generation, user, paths, version } = facts;
  const { start } = spec.definition;
  if (start === undefined) throw new Error(`units.${spec.role}.start is missing in tenant.yaml`);
  const { execStart, killMode } = startLine(start);
  return [
    '# Made by Tenantry; a change here is undone by the next deployment. Settings of your own: systemctl edit.',
    ...section('Unit', [
      ['Description', `Tenantry: ${spec.role} of ${spec.tenant.slug}`],
      // A database on the same machine, if there is one, starts first.
      ['After', 'network-online.target mariadb.service mysql.service'],
      ['Wants', 'network-online.target'],
      ['RequiresMountsFor', [facts.environmentFile, paths.checkout, ...paths.writable.map(([from]) => from)]],
      ['StartLimitIntervalSec', String(giveUp.withinSeconds)],
      ['StartLimitBurst', String(giveUp.starts)],
    ]),
    ...section('Service', [
      ['Type', 'exec'],
      ['EnvironmentFile', wholeLine(facts.environmentFile)],
      ['ExecStart', execStart],
      // The tenant contract: a unit that exits is restarted, after code 0 too.
      ['Restart', 'always'],
      ...restartPauses(version),
      ['KillMode', killMode],
      ['TimeoutStopSec', '10'],
      ...sandbox(user, paths),
      ...limitSettings(spec.limits),
      ['StandardOutput', 'journal'],
      ['StandardError', 'journal'],
      ['SyslogLevelPrefix', 'no'],
      // A flood of log lines must not push the others' out of the journal.
      ['LogRateLimitIntervalSec', '1'],
      ['LogRateLimitBurst', '10000'],
      [
        'LogExtraFields',
        Object.entries(logFields(instance, spec.tenant.id, spec.role)).map((field) => field.join('=')),
      ],
    ]),
    ...section('Install', [['WantedBy', 'multi-user.target']]),
    ...section('X-Tenantry', [
      ['Instance', wholeLine(instance)],
      ['Tenant', wholeLine(spec.tenant.id)],
      ['Role', spec.role],
      ['Generation', wholeLine(generation)],
      ['Commit', wholeLine(spec.release.commit)],
      ['Release', wholeLine(spec.release.key)],
    ]),
    '',
  ].join('\n');
}

/** Fields of every line of a unit in the journal. */
export const logFields = (instance: string, tenantId: string, role: string) => ({
  TENANTRY_INSTANCE: instance,
  TENANTRY_TENANT: tenantId,
  TENANTRY_ROLE: role,
});

/** The owner of a unit file; undefined when no manager made it. */
export function readMark(text: string): { instance: string; tenantId: string } | undefined {
  const own = text.split(/^\[X-Tenantry\]$/m)[1];
  const value = (name: string): string | undefined => own && new RegExp(`^${name}=(.*)$`, 'm').exec(own)?.[1];
  const [instance, tenantId] = [value('Instance'), value('Tenant')];
  return instance === undefined || tenantId === undefined ? undefined : { instance, tenantId };
}

function restartPauses(version: number): Setting[] {
  if (version < growingPausesSince) return [['RestartSec', '5']];
  // About 1, 2, 4, 8, 15, 30 and then always 60 s.
  return [
    ['RestartSec', '1'],
    ['RestartSteps', '6'],
    ['RestartMaxDelaySec', '60'],
  ];
}

/** For a setting that takes the whole line, quotes included. @throws Error for a line end */
function wholeLine(value: string): string {
  quoted(value);
  return value.replaceAll('%', '%%');
}

function section(name: string, settings: readonly Setting[]): string[] {
  const lines = settings.map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : value.map(word).join(' ')}`,
  );
  return ['', `[${name}]`, ...lines];
}

const word = (value: Word): string => (typeof value === 'string' ? quoted(value) : value.map(quoted).join(':'));
