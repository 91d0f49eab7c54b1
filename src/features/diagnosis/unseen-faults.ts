import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { DiagnosisService } from './diagnosis.ts';

/** Causes that the diagnosis finds while all health checks pass. An expiring certificate is found by the checks, too. */
export const unseenFaultCodes = ['dns_missing', 'dns_elsewhere', 'api_key_refused'] as const;
export type UnseenFaultCode = (typeof unseenFaultCodes)[number];

export interface UnseenFault {
  code: UnseenFaultCode;
  /** One line: what is wrong. */
  title: string;
  /** When it was found first. */
  since: Date;
}

export interface UnseenFaultsDeps {
  clock: Clock;
  logger: Logger;
  tenants: Pick<Tenants, 'each'>;
  diagnose: DiagnosisService['of'];
  /** Since when an earlier run of the manager reported the fault; undefined: it did not. */
  reportedSince(tenantId: string, code: UnseenFaultCode): Promise<Date | undefined>;
}

const isUnseenFault = (code: string): code is UnseenFaultCode => (unseenFaultCodes as readonly string[]).includes(code);

export type UnseenFaults = ReturnType<typeof createUnseenFaults>;

/** Diagnoses healthy tenants in turn: their health checks pass, and still they may not be reached. Keeps the findings in memory. */
export function createUnseenFaults({ clock, logger, tenants, diagnose, reportedSince }: UnseenFaultsDeps) {
  /** By tenant. A single answer of a name server may be wrong: a fault begins, and ends, with the second run that says so. */
  let found = new Map<string, UnseenFault & { confirmed: boolean; ending: boolean }>();
  let isFirstRun = true;

  async function faultOf(tenantId: string): Promise<Omit<UnseenFault, 'since'> | 'none' | 'unknown'> {
    try {
      const { cause } = await diagnose(tenantId, { fresh: true });
      return cause && isUnseenFault(cause.code) ? { code: cause.code, title: cause.title } : 'none';
    } catch (error) {
      logger.debug({ tenant_id: tenantId, message: messageOf(error) }, 'a healthy tenant was not diagnosed');
      return 'unknown';
    }
  }

  return {
    /** Diagnoses all healthy tenants, one after the other. */
    async run(signal: AbortSignal): Promise<void> {
      const now: typeof found = new Map();
      for await (const { id, status, healthStatus, deployed } of tenants.each()) {
        if (signal.aborted) return;
        if (!deployed) continue;
        const before = found.get(id);
        // One that is stopped or unhealthy shows nothing of it.
        const fault = status === 'running' && healthStatus === 'healthy' ? await faultOf(id) : 'unknown';
        if (fault === 'unknown' || fault === 'none') {
          const goesOn = before && (fault === 'unknown' || (before.confirmed && !before.ending));
          if (goesOn) now.set(id, { ...before, ending: fault === 'none' });
          continue;
        }
        const isSame = before?.code === fault.code;
        const reported = isFirstRun ? await reportedSince(id, fault.code) : undefined;
        const since = (isSame ? before.since : reported) ?? clock.now();
        now.set(id, { ...fault, since, confirmed: isSame || reported !== undefined, ending: false });
      }
      found = now;
      isFirstRun = false;
    },
    /** Whether a run has ended since the manager's start. */
    hasRun: () => !isFirstRun,
    /** What was found in two runs in a row, or reported before a restart, until two runs don't find it. Reads nothing. */
    of(tenantId: string): UnseenFault | undefined {
      const fault = found.get(tenantId);
      return fault?.confirmed ? fault : undefined;
    },
  };
}
