import type { Actor, WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { refuseOrphan } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { invalid, notFound } from '../../../lib/errors.ts';
import type { Role } from '../../../lib/http/routing/roles.ts';
import { newId } from '../../../lib/ids.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { Channels } from '../channels/channels.ts';
import { isReachable, type PlannedRule, type PlannedUser } from './plan.ts';
import type { KeptPreferences, PreferenceChanges, RuleBody } from './schema.ts';
import type { RuleRow, RuleStore } from './store.ts';

/** A user who can sign in. */
export interface Recipient {
  id: string;
  username: string;
  email: string;
  role: Role;
}

export interface RulesDeps {
  store: Store;
  rows: RuleStore;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  channels: Pick<Channels, 'list'>;
  tenants: Pick<Tenants, 'namesOf'>;
  recipients(): Promise<Recipient[]>;
}

export type Rules = ReturnType<typeof createRules>;

/** Until a user chooses: administrators receive errors, others of what concerns their account. */
const defaultsOf = (role: Role): KeptPreferences => ({
  severity: role === 'admin' ? 'error' : null,
  events: [],
  tags: [],
  tenant_ids: [],
  email: 'account',
  quiet_hours: null,
});

const addressOf = ({ email }: Recipient): string | null => (isReachable(email) ? email : null);

/** @throws AppError validation_error */
function assertEachKnown(field: string, ids: readonly string[], known: { has(id: string): boolean }): void {
  for (const [index, id] of ids.entries()) if (!known.has(id)) throw invalid(`${field}.${index}`, 'does not exist');
}

/** Which alerts go where: rules for all, and what each user wants to receive. */
export function createRules({ store, rows, clock, writeAuditLog, channels, tenants, recipients }: RulesDeps) {
  const perUser = new KeyedLock();

  const namesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    ids.length > 0 ? tenants.namesOf(ids) : new Map();

  /** What a user chose, without deleted tenants. An empty list means all: if none of those chosen is left, nothing is chosen. */
  async function chosenBy({ id, role }: Pick<Recipient, 'id' | 'role'>) {
    const kept = await rows.preferencesOf(id);
    const chosen = { ...defaultsOf(role), ...kept };
    const known = await namesOf(chosen.tenant_ids);
    const tenant_ids = chosen.tenant_ids.filter((tenantId) => known.has(tenantId));
    const isNothingLeft = chosen.tenant_ids.length > 0 && tenant_ids.length === 0;
    return { isNew: !kept, chosen: { ...chosen, tenant_ids, ...(isNothingLeft ? { severity: null } : {}) } };
  }

  /**
   * @param before what the rule already names; it may be deleted or disabled by now
   * @throws AppError validation_error
   */
  async function assertKnown(rule: RuleBody, before?: RuleRow['rule']): Promise<void> {
    const known = {
      channel_ids: new Set((await channels.list()).map(({ id }) => id)),
      user_ids: new Set((await recipients()).map(({ id }) => id)),
      tenant_ids: await namesOf(rule.tenant_ids),
    };
    for (const field of ['channel_ids', 'user_ids', 'tenant_ids'] as const)
      assertEachKnown(field, rule[field], {
        has: (id) => known[field].has(id) || (before?.[field].includes(id) ?? false),
      });
  }

  const audit = (what: string, actor: Actor, details: Record<string, unknown>): Promise<void> =>
    writeAuditLog({
      level: 'info',
      category: 'audit',
      topic: 'settings',
      message: `Notification rule ${what} by ${actor.username}`,
      details: { user_id: actor.userId, username: actor.username, ...details },
    });

  return {
    list: (): Promise<RuleRow[]> => rows.rules(),

    /** @throws AppError validation_error */
    async create(body: RuleBody, actor: Actor): Promise<RuleRow> {
      await assertKnown(body);
      const { enabled, ...rule } = body;
      const now = clock.now();
      const row = { id: newId(), enabled, rule, createdAt: now, updatedAt: now };
      await rows.insertRule(row);
      await audit('created', actor, { rule: row.id, after: body });
      return row;
    },

    /** @throws AppError not_found, validation_error */
    async replace(id: string, body: RuleBody, actor: Actor): Promise<RuleRow> {
      const named = await rows.rule(id);
      if (!named) throw notFound('notification rule', id);
      await assertKnown(body, named.rule);
      const { enabled, ...rule } = body;
      const [before, after] = await store.transaction(async (transaction) => {
        const row = await rows.rule(id, transaction);
        if (!row) throw notFound('notification rule', id);
        const changes = { enabled, rule, updatedAt: clock.now() };
        await rows.updateRule(id, changes, transaction);
        return [row, { ...row, ...changes }] as const;
      });
      await audit('changed', actor, { rule: id, before: { enabled: before.enabled, ...before.rule }, after: body });
      return after;
    },

    /** @throws AppError not_found */
    async remove(id: string, actor: Actor): Promise<void> {
      const before = await rows.rule(id);
      if (!before || !(await rows.removeRule(id))) throw notFound('notification rule', id);
      await audit('deleted', actor, { rule: id, before: { enabled: before.enabled, ...before.rule } });
    },

    async preferencesOf(userId: string): Promise<KeptPreferences & { address: string | null }> {
      const user = (await recipients()).find(({ id }) => id === userId);
      const { chosen } = await chosenBy(user ?? { id: userId, role: 'viewer' });
      return { ...chosen, address: user ? addressOf(user) : null };
    },

    /** Changes what is given; the rest stays. @throws AppError not_found, validation_error */
    setPreferences: (userId: string, changed: PreferenceChanges): Promise<void> =>
      perUser.run(userId, async () => {
        const user = (await recipients()).find(({ id }) => id === userId);
        if (!user) throw notFound('user', userId);
        const { isNew, chosen } = await chosenBy(user);
        const { tenant_ids = [] } = changed;
        assertEachKnown('tenant_ids', tenant_ids, await namesOf(tenant_ids));
        // JSON has no undefined: a key that is there has a value.
        const next = { ...chosen, ...(changed as Partial<KeptPreferences>) };
        if (isNew)
          await refuseOrphan(rows.insertPreferences(userId, next, clock.now()), () => notFound('user', userId));
        else await rows.updatePreferences(userId, next, clock.now());
      }),

    /** What the plan of an alert's deliveries depends on. */
    async plannedFor(): Promise<{ rules: PlannedRule[]; users: PlannedUser[] }> {
      const [all, kept, everyone] = await Promise.all([rows.rules(), rows.allPreferences(), recipients()]);
      return {
        rules: all.map(({ enabled, rule }) => ({
          enabled,
          events: rule.events,
          severity: rule.severity,
          tags: rule.tags,
          tenantIds: rule.tenant_ids,
          channelIds: rule.channel_ids,
          userIds: rule.user_ids,
          digestMinutes: rule.digest_minutes,
          quietHours: rule.quiet_hours,
        })),
        users: everyone.map((user) => {
          // Deleted tenants may stay in the list: no alert matches them.
          const {
            quiet_hours: quietHours,
            tenant_ids: tenantIds,
            ...chosen
          } = { ...defaultsOf(user.role), ...kept.get(user.id) };
          return { id: user.id, role: user.role, address: addressOf(user), quietHours, tenantIds, ...chosen };
        }),
      };
    },
  };
}
