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
  email: 'account',
  quiet_hours: null,
});

const addressOf = ({ email }: Recipient): string | null => (isReachable(email) ? email : null);

/** Which alerts go where: rules for all, and what each user wants to receive. */
export function createRules({ store, rows, clock, writeAuditLog, channels, tenants, recipients }: RulesDeps) {
  const perUser = new KeyedLock();

  /** @throws AppError validation_error */
  async function assertKnown(rule: RuleBody): Promise<void> {
    const known = {
      channel_ids: new Set((await channels.list()).map(({ id }) => id)),
      user_ids: new Set((await recipients()).map(({ id }) => id)),
      tenant_ids: rule.tenant_ids.length > 0 ? await tenants.namesOf(rule.tenant_ids) : new Map<string, string>(),
    };
    for (const field of ['channel_ids', 'user_ids', 'tenant_ids'] as const)
      for (const [index, id] of rule[field].entries())
        if (!known[field].has(id)) throw invalid(`${field}.${index}`, 'does not exist');
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
      await assertKnown(body);
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
      const [kept, everyone] = await Promise.all([rows.preferencesOf(userId), recipients()]);
      const user = everyone.find(({ id }) => id === userId);
      return { ...defaultsOf(user?.role ?? 'viewer'), ...kept, address: user ? addressOf(user) : null };
    },

    /** Changes what is given; the rest stays. @throws AppError not_found */
    setPreferences: (userId: string, changed: PreferenceChanges): Promise<void> =>
      perUser.run(userId, async () => {
        const [kept, everyone] = await Promise.all([rows.preferencesOf(userId), recipients()]);
        const user = everyone.find(({ id }) => id === userId);
        if (!user) throw notFound('user', userId);
        // JSON has no undefined: a key that is there has a value.
        const next = { ...defaultsOf(user.role), ...kept, ...(changed as Partial<KeptPreferences>) };
        if (kept) await rows.updatePreferences(userId, next, clock.now());
        else await refuseOrphan(rows.insertPreferences(userId, next, clock.now()), () => notFound('user', userId));
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
          const { quiet_hours: quietHours, ...chosen } = { ...defaultsOf(user.role), ...kept.get(user.id) };
          return { id: user.id, role: user.role, address: addressOf(user), quietHours, ...chosen };
        }),
      };
    },
  };
}
