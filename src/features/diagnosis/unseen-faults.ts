import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { DiagnosisService } from './diagnosis.ts';
import { type UnseenFaultCode, unseenFaultCodes } from './schema.ts';
import type { UnseenState } from './tree/tree.ts';

export { type UnseenFaultCode, unseenFaultCodes } from './schema.ts';

export interface UnseenFault {
  code: UnseenFaultCode;
  /** One line: what is wrong. */
  title: string;
  /** When it was found first. */
  since: Date;
}

/** A single answer of a name server may be wrong: a fault begins, and ends, with the second run that says so. */
interface Finding extends UnseenFault {
  confirmed: boolean;
  ending: boolean;
}
type Findings = ReadonlyMap<UnseenFaultCode, Finding>;

export interface UnseenFaultsDeps {
  clock: Clock;
  logger: Logger;
  tenants: Pick<Tenants, 'each'>;
  examine: DiagnosisService['unseenFaults'];
  /** The faults that an earlier run of the manager reported and that had not ended. */
  reported(): Promise<{ tenantId: string; code: string; title: string; since: Date }[]>;
}

export type UnseenFaults = ReturnType<typeof createUnseenFaults>;

/** Examines healthy tenants in turn: their health checks pass, and still they may not be reached. Keeps the findings in memory. */
export function createUnseenFaults({ clock, logger, tenants, examine, reported }: UnseenFaultsDeps) {
  let found = new Map<string, Findings>();
  let isFirstRun = true;

  /** One that is stopped, unhealthy or can't be examined shows nothing of its faults. */
  async function statesOf(tenantId: string, isWell: boolean): Promise<ReadonlyMap<UnseenFaultCode, UnseenState>> {
    if (!isWell) return new Map();
    return examine(tenantId).catch((error: unknown) => {
      logger.debug({ tenant_id: tenantId, message: messageOf(error) }, 'a healthy tenant was not examined');
      return new Map();
    });
  }

  function next(code: UnseenFaultCode, before: Finding | undefined, state: UnseenState): Finding | undefined {
    if (state === 'unknown') return before;
    if (state === 'none') return before?.confirmed && !before.ending ? { ...before, ending: true } : undefined;
    return {
      code,
      title: state.title,
      since: before?.since ?? clock.now(),
      confirmed: before !== undefined,
      ending: false,
    };
  }

  return {
    /** Examines all healthy tenants, one after the other. */
    async run(signal: AbortSignal): Promise<void> {
      const earlier = Map.groupBy(isFirstRun ? await reported() : [], ({ tenantId }) => tenantId);
      const now: typeof found = new Map();
      for await (const { id, status, healthStatus, deployed } of tenants.each()) {
        if (signal.aborted) return;
        if (!deployed) continue;
        const states = await statesOf(id, status === 'running' && healthStatus === 'healthy');
        const findings = unseenFaultCodes.flatMap((code) => {
          const fault = earlier.get(id)?.find((one) => one.code === code);
          const before = fault ? { ...fault, code, confirmed: true, ending: false } : found.get(id)?.get(code);
          return next(code, before, states.get(code) ?? 'unknown') ?? [];
        });
        if (findings.length > 0) now.set(id, new Map(findings.map((finding) => [finding.code, finding])));
      }
      found = now;
      isFirstRun = false;
    },
    /** Whether a run has ended since the manager's start. */
    hasRun: () => !isFirstRun,
    /** What was found in two runs in a row, or reported before a restart, until two runs don't find it. Reads nothing. */
    of: (tenantId: string): UnseenFault[] =>
      [...(found.get(tenantId)?.values() ?? [])].filter(({ confirmed }) => confirmed),
  };
}
