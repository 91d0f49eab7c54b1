import type { Logger } from '../../../../../lib/logger.ts';
import { type TenantSpace, type UnitRef, type UnitRole, unitRoles } from '../../../runtime.ts';
import { unitName } from '../../../unit-name.ts';
import type { Environments } from '../../environment.ts';
import { emptyRecord, type Generation, generationToRun } from '../../generations.ts';
import type { UnitSystem } from '../../recorded-runtime.ts';
import type { UnitLog } from '../logs/unit-log.ts';
import type { Records } from '../records.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { createSupervisor, type RestartDelays, type Supervisor } from './supervisor.ts';
import { type Marks, markVariable } from './unit-mark.ts';
import { adoptProcess, launchProcess, type UnitProcess } from './unit-process.ts';

/** The supervisors, one per unit, created on first use. */
export interface Units {
  of(tenant: TenantSpace, role: UnitRole): Supervisor;
  follow: UnitSystem['follow'];
  /** Ends both units, and forgets them. */
  remove(tenant: TenantSpace): Promise<void>;
  close(): Promise<void>;
}

export function createUnits(options: {
  records: Records;
  marks: Marks;
  environments: Environments;
  copies: WorkingCopies;
  pauses: RestartDelays;
  adoptedPollMs: number;
  logOf(unit: UnitRef): UnitLog;
  logger: Logger;
}): Units {
  const { records, marks, environments, copies } = options;
  const supervisors = new Map<string, Supervisor>();
  const keyOf = (tenant: TenantSpace, role: UnitRole): string => `${tenant.id}/${role}`;

  async function launch(generation: Generation, launchId: string): Promise<UnitProcess> {
    const { spec } = generation;
    const { start } = spec.definition;
    if (start === undefined) throw new Error(`The ${spec.role} unit has no start line`);
    const cwd = await copies.ensure(generation);
    const mark = marks.of(spec.tenant, spec.role, launchId);
    const environment = { ...environments.for(spec.environment, spec.hostPort), [markVariable]: mark };
    return options
      .logOf(spec)
      .withDescriptor((logDescriptor) => launchProcess({ line: start, cwd, environment, logDescriptor }));
  }

  function create(tenant: TenantSpace, role: UnitRole): Supervisor {
    return createSupervisor({
      name: unitName(tenant.slug, role),
      pauses: options.pauses,
      logger: options.logger,
      marked(text) {
        const mark = marks.read(text);
        return mark?.tenantId === tenant.id && mark.role === role;
      },
      launch: async (generation, launchId) => launch(generation, launchId),
      adopt(pid, identity) {
        // Creates the log, so that it is measured: the process writes to it directly.
        options.logOf({ tenant, role });
        return adoptProcess(pid, identity, options.adoptedPollMs);
      },
      save: (record) =>
        record ? records.writeProcess(tenant.id, role, record) : records.removeProcess(tenant.id, role),
    });
  }

  function of(tenant: TenantSpace, role: UnitRole): Supervisor {
    const key = keyOf(tenant, role);
    const known = supervisors.get(key) ?? create(tenant, role);
    supervisors.set(key, known);
    return known;
  }

  const follow: Units['follow'] = async (record, { roles, start } = { roles: unitRoles, start: 'now' }) => {
    const outcomes = await Promise.allSettled(
      roles.map((role) => {
        const target = generationToRun(record, role);
        const supervisor = of(record.tenant, role);
        return target && start === 'restart' ? supervisor.restart(target) : supervisor.apply(target);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  };

  return {
    of,
    follow,
    async remove(tenant) {
      await follow(emptyRecord(tenant));
      for (const role of unitRoles) supervisors.delete(keyOf(tenant, role));
    },
    async close() {
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.close()));
    },
  };
}
