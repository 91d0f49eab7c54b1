import type { Address, DatabaseServers, Runtime, TenantSpace } from '../../adapters/runtimes/runtime.ts';
import type { TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import type { SecretMask } from '../../lib/text/secret-mask.ts';

/**
 * Masks a tenant's secrets where text of its programs enters the manager, so that no feature has to: what they store, show and send
 * comes from these adapters.
 */
export function createMasking(maskOf: (tenant: TenantSpace) => Promise<SecretMask>) {
  /** Whose programs answer at an address that a runtime named. */
  const owners = new WeakMap<Address, TenantSpace>();

  /** Runs what may fail with a text of a tenant's program; the error stays the same object. */
  async function quiet<Result>(tenant: TenantSpace | undefined, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (tenant) (await maskOf(tenant)).applyWithin(error);
      throw error;
    }
  }

  /** The output of work for a tenant, and how it failed. */
  async function during<Result>(
    tenant: TenantSpace,
    { log, signal }: Work,
    run: (work: Work) => Promise<Result>,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Result> {
    const mask = await maskOf(tenant);
    mask.add(environment);
    return quiet(tenant, () => run({ log: (line) => log(mask.apply(line)), signal }));
  }

  /** A call with the address first, whose answer holds no secrets. */
  const answering =
    <Rest extends unknown[], Result>(call: (address: Address, ...rest: Rest) => Promise<Result>) =>
    async (address: Address, ...rest: Rest): Promise<Result> => {
      const tenant = owners.get(address);
      const answer = await quiet(tenant, () => call(address, ...rest));
      if (tenant) (await maskOf(tenant)).applyWithin(answer);
      return answer;
    };

  const maskServers = (servers: DatabaseServers): DatabaseServers => ({
    ...servers,
    ensure: (spec, work) => during(spec.tenant, work, (masked) => servers.ensure(spec, masked), spec.environment),
    async exec(tenant, argv, options) {
      const mask = await maskOf(tenant);
      const { output, ended } = await quiet(tenant, () => servers.exec(tenant, argv, options));
      return {
        output,
        ended: ended.then(({ exitCode, errors }) => ({ exitCode, errors: mask.apply(errors) })),
      };
    },
  });

  return {
    /** Logs, output of jobs and builds, errors and reasons. */
    runtime: (runtime: Runtime): Runtime => ({
      ...runtime,
      databaseServers: runtime.databaseServers && maskServers(runtime.databaseServers),
      prepareRelease: (request, work) =>
        request.requestedBy
          ? during(request.requestedBy, work, (masked) => runtime.prepareRelease(request, masked))
          : runtime.prepareRelease(request, work),
      stage: (spec, work) => during(spec.tenant, work, (masked) => runtime.stage(spec, masked), spec.environment),
      activate: (tenant, work) => during(tenant, work, (masked) => runtime.activate(tenant, masked)),
      rollback: (tenant, work) => during(tenant, work, (masked) => runtime.rollback(tenant, masked)),
      runJob: (job, work, commands) =>
        during(job.tenant, work, (masked) => runtime.runJob(job, masked, commands), job.environment),
      commit: (tenant) => quiet(tenant, () => runtime.commit(tenant)),
      start: (unit) => quiet(unit.tenant, () => runtime.start(unit)),
      stop: (unit) => quiet(unit.tenant, () => runtime.stop(unit)),
      restart: (unit) => quiet(unit.tenant, () => runtime.restart(unit)),

      async inspect(unit) {
        const state = await quiet(unit.tenant, () => runtime.inspect(unit));
        return state.reason === null ? state : { ...state, reason: (await maskOf(unit.tenant)).apply(state.reason) };
      },

      async *logs(unit, request) {
        for await (const line of runtime.logs(unit, request)) {
          // Asked again for each line: the secrets may change while a log is followed.
          const message = (await maskOf(unit.tenant)).apply(line.message);
          yield message === line.message ? line : { ...line, message };
        }
      },

      async address(unit, hostPort) {
        const { host, port } = await runtime.address(unit, hostPort);
        const address = { host, port };
        owners.set(address, unit.tenant);
        return address;
      },
    }),

    /** Answers of a tenant's API but those to `send`, which user steps compare before they mask them. */
    tenantApi: (api: TenantApi): TenantApi => ({
      ...api,
      probe: answering(api.probe),
      health: answering(api.health),
      stats: answering(api.stats),
      personsCount: answering(api.personsCount),
      bulkImport: answering(api.bulkImport),
      checkDuplicates: answering(api.checkDuplicates),
      removeBatch: answering(api.removeBatch),
    }),
  };
}
