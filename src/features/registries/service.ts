import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { ImageAccess, RegistryCredentials } from '../../adapters/runtimes/image-access.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import { defineTable, id, instant, json, key, type RowOf, tableIn, text, unique } from '../../adapters/store/table.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalid, messageOf, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Settings } from '../settings/settings.ts';
import { hidden } from './schema.ts';

const columns = {
  id: key(id),
  host: unique(text(255)),
  username: text(255),
  /** Sealed. */
  password: text(),
  tenantIds: json<string[]>(),
  repositories: json<string[]>(),
  createdAt: instant,
  updatedAt: instant,
};
export const registriesTable = defineTable('registries', columns);
type RegistryRow = RowOf<typeof columns>;

export interface RegistriesDeps {
  store: Store;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
  runtime: Pick<Runtime, 'checkRegistry'>;
  settings: Pick<Settings, 'read'>;
  /** Its credentials serve all tenants. */
  config: { REGISTRY_AUTH_FILE?: string | undefined };
}

/** The credentials of a registry as an administrator enters them. */
export interface NewRegistry {
  host: string;
  username: string;
  /** `hidden`: keep the stored one. */
  password: string;
  tenantIds: string[];
  repositories: string[];
}

export type RegistryView = Omit<RegistryRow, 'password'>;

export type RegistryService = ReturnType<typeof createRegistryService>;

/** Stores the credentials of registries, and answers who may use them. */
export function createRegistryService({
  store,
  clock,
  writeAuditLog,
  secretBox,
  runtime,
  settings,
  config: { REGISTRY_AUTH_FILE: authFile },
}: RegistriesDeps) {
  const rows = tableIn(store, registriesTable);
  const contextOf = (id: string): string => `registry:${id}`;

  async function existing(id: string): Promise<RegistryRow> {
    const row = await rows.find({ id });
    if (!row) throw notFound('registry', id);
    return row;
  }

  /** @throws Error that says what to do when SECRET_KEY changed */
  function loginOf({ id, host, username, password }: RegistryRow): RegistryCredentials['login'] {
    try {
      return { username, password: secretBox.open(password, contextOf(id)), serveraddress: addressOf(host) };
    } catch (cause) {
      throw new Error(`The password for ${host} can't be decrypted: enter it again`, { cause });
    }
  }

  function rowOf(id: string, registry: NewRegistry, before: RegistryRow | undefined): RegistryRow {
    const { password, ...fields } = registry;
    if (password === hidden && before?.host !== fields.host)
      throw invalid('password', 'must be entered again: stored passwords are sent only to their own host');
    const sealed = password === hidden && before ? before.password : secretBox.seal(password, contextOf(id));
    return { id, ...fields, password: sealed, createdAt: before?.createdAt ?? clock.now(), updatedAt: clock.now() };
  }

  const audit = ({ id, host, tenantIds, repositories }: RegistryRow, what: string, actor: Actor): Promise<void> =>
    writeAuditLog({
      level: 'info',
      category: 'audit',
      topic: 'settings',
      message: `Credentials for the registry ${host} ${what} by ${actor.username}`,
      details: {
        user_id: actor.userId,
        username: actor.username,
        registry_id: id,
        tenant_ids: tenantIds,
        repositories,
      },
    });

  const viewOf = ({ password: _sealed, ...row }: RegistryRow): RegistryView => row;

  return {
    /** Who is asked by its row. A registry of the file serves all, unless the row's own credentials may be used. */
    access: (mayUse: (row: RegistryRow) => boolean): ImageAccess => ({
      async at(host) {
        const row = await rows.find({ host });
        if (row && mayUse(row)) return { login: loginOf(row), restricted: true };
        const shared = authFile === undefined ? undefined : (await readAuthFile(authFile)).get(host);
        if (shared) return { login: { ...shared, serveraddress: addressOf(host) }, restricted: false };
        return { restricted: row !== undefined };
      },
      maxAgeMs: async () => (await settings.read('base_image_max_age_hours')) * 3_600_000,
    }),

    async list(): Promise<RegistryView[]> {
      return (await rows.all({ order: [['host', 'ASC']] })).map(viewOf);
    },
    show: async (id: string): Promise<RegistryView> => viewOf(await existing(id)),

    /** @throws AppError validation_error */
    async create(registry: NewRegistry, actor: Actor): Promise<RegistryView> {
      const row = rowOf(newId(), registry, undefined);
      await refuseDuplicate(rows.insert(row), hostTaken);
      await audit(row, 'added', actor);
      return viewOf(row);
    },
    /** @throws AppError not_found, validation_error */
    async change(id: string, registry: NewRegistry, actor: Actor): Promise<RegistryView> {
      const row = rowOf(id, registry, await existing(id));
      await refuseDuplicate(rows.update(row, { id }), hostTaken);
      await audit(row, 'changed', actor);
      return viewOf(row);
    },
    /** @throws AppError not_found */
    async remove(id: string, actor: Actor): Promise<void> {
      const row = await existing(id);
      await rows.remove({ id });
      await audit(row, 'removed', actor);
    },
    /** Signs in at the registry. @returns why that failed; undefined: it did not. @throws AppError not_found, invalid_state */
    async test(id: string): Promise<string | undefined> {
      const login = loginOf(await existing(id));
      if (!runtime.checkRegistry || !login)
        throw new AppError('invalid_state', 'This runtime pulls no images: it has no engine to test with');
      return runtime.checkRegistry(login).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof AppError) throw error;
          return messageOf(error).replaceAll(login.password, hidden);
        },
      );
    },
  };
}

const hostTaken = (): AppError => invalid('host', 'has credentials already: change those');

/** The registry's address as Docker's programs send it with credentials. */
const addressOf = (host: string): string => (host === 'docker.io' ? 'https://index.docker.io/v1/' : host);

const config = z.object({
  auths: z.record(z.string(), z.object({ auth: z.string().optional() })).default({}),
});

/** Docker Hub's name in Docker's own file. */
const hub = 'index.docker.io';

/**
 * The credentials by host in a file of Docker's form (`config.json`, as `docker login` writes it). Credential helpers are not
 * read.
 * @throws Error naming the file and what is wrong with it
 */
async function readAuthFile(path: string): Promise<Map<string, { username: string; password: string }>> {
  try {
    const { auths } = config.parse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(
      Object.entries(auths).flatMap(([address, { auth = '' }]) => {
        const decoded = Buffer.from(auth, 'base64').toString();
        const at = decoded.indexOf(':');
        if (at < 1) return [];
        const host = address.replace(/^https?:\/\//, '').split('/', 1)[0] ?? '';
        const login = { username: decoded.slice(0, at), password: decoded.slice(at + 1) };
        return [[host === hub ? 'docker.io' : host, login] as const];
      }),
    );
  } catch (error) {
    // Without its cause: a parser's error quotes the text.
    const reason =
      error instanceof SyntaxError || error instanceof z.ZodError ? 'must be Docker’s config.json' : messageOf(error);
    throw new Error(`REGISTRY_AUTH_FILE (${path}): ${reason}`);
  }
}
