import { z } from 'zod';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { OperationSummary } from '../../lib/operations/operation.ts';
import type { Settings } from '../settings/settings.ts';
import type { Tenants } from '../tenants/tenants.ts';

/** The steps of a new installation, in the order in which they are best done. */
const setupSteps = [
  'own_password',
  'host_checked',
  'second_admin',
  'proxy_and_certificates',
  'backup_schedule',
  'offsite_copies',
  'notification_channel',
  'first_tenant',
] as const;
type SetupStep = (typeof setupSteps)[number];

const checklist = z
  .object({ steps: z.array(z.object({ key: z.enum(setupSteps), done: z.boolean() })) })
  .meta({ id: 'SetupChecklist' });

/** What accounts contribute. */
export interface AccountFacts {
  /** Whether the user changed the password of the account's creation. */
  hasOwnPassword: boolean;
  enabledAdmins: number;
}

interface SetupDeps {
  accounts: { setupFacts(userId: string): Promise<AccountFacts> };
  settings: Pick<Settings, 'read'>;
  tenants: Pick<Tenants, 'counts'>;
  notifications: { isChannelUsed(): Promise<boolean> };
  /** Whether a reverse proxy serves tenants' host names with certificates. */
  servesCertificates: boolean;
  /** The last check of this host. */
  lastPreflight(): Promise<Pick<OperationSummary, 'status'> | undefined>;
}

/** What is still to do in a new installation; nothing of it is stored, all is derived from facts. */
export function createSetup(deps: SetupDeps): { routes: Route[] } {
  const { accounts, settings, tenants, notifications, servesCertificates, lastPreflight } = deps;
  async function facts(userId: string): Promise<Record<SetupStep, boolean>> {
    const { hasOwnPassword, enabledAdmins } = await accounts.setupFacts(userId);
    const { byStatus } = await tenants.counts();
    return {
      own_password: hasOwnPassword,
      host_checked: (await lastPreflight())?.status === 'success',
      second_admin: enabledAdmins > 1,
      proxy_and_certificates: servesCertificates,
      backup_schedule: (await settings.read('backup_schedule')) !== '',
      offsite_copies: (await settings.read('backup_s3_bucket')) !== '',
      notification_channel: await notifications.isChannelUsed(),
      first_tenant: byStatus.running + byStatus.stopped > 0,
    };
  }

  return {
    routes: [
      defineRoute(
        {
          method: 'get',
          path: '/api/setup-checklist',
          tag: 'System',
          summary: 'What is still to do in a new installation',
          description:
            '`own_password`: the caller changed the password that the account was created with. `host_checked`: the last check of this host found no fault. `second_admin`: two administrators can sign in. `notification_channel`: an enabled rule sends to an enabled channel.',
          access: 'administer',
          responses: { 200: { schema: checklist } },
        },
        async ({ principal }) => {
          const done = await facts(principal.userId);
          return { steps: setupSteps.map((key) => ({ key, done: done[key] })) };
        },
      ),
    ],
  };
}
