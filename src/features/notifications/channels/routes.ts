import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { newId } from '../../../lib/ids.ts';
import type { OutboxService } from '../outbox/outbox.ts';
import type { ChannelService, ChannelView } from './channels.ts';
import { channel, channelList, newChannel, removed, testResult } from './schema.ts';

interface RouteDeps {
  clock: Clock;
  outbox: Pick<OutboxService, 'lastAttempt' | 'pending'>;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

const path = '/api/notifications/channels';

/** Management of channels. */
export function channelRoutes(channels: ChannelService, { clock, outbox, linkTo }: RouteDeps): Route[] {
  const common = { tag: 'Notifications', access: 'administer' } as const;

  async function responseOf({ createdAt, updatedAt, config, ...view }: ChannelView) {
    const [last, pending] = await Promise.all([outbox.lastAttempt(view.id), outbox.pending(view.id)]);
    return {
      ...view,
      config: Object.fromEntries(
        Object.entries(config).map(([field, value]) => [field, typeof value === 'object' ? [...value] : value]),
      ),
      last_delivery: last?.attemptedAt
        ? { state: last.state, at: toTimestamp(last.attemptedAt), outcome: last.outcome }
        : null,
      pending,
      created_at: toTimestamp(createdAt),
      updated_at: toTimestamp(updatedAt),
    };
  }

  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path,
        summary: 'List notification channels',
        query: pagingQuery(500),
        responses: { 200: { schema: channelList } },
      },
      async ({ query: { limit, offset } }) => {
        const all = await channels.showAll();
        const shown = await Promise.all(all.slice(offset, offset + limit).map(responseOf));
        return { channels: shown, total: all.length, limit, offset };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path,
        summary: 'Create a notification channel',
        description:
          'Passwords, tokens, signing secrets and the addresses of webhooks are stored encrypted and never answered. Private addresses are refused unless ALLOW_PRIVATE_NOTIFICATIONS is set.',
        body: newChannel,
        responses: { 201: { schema: channel } },
        errors: ['invalid_state'],
      },
      async ({ body, principal }) => responseOf(await channels.create(body, principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: `${path}/{id}`,
        summary: 'Get a notification channel',
        responses: { 200: { schema: channel } },
        errors: ['not_found'],
      },
      async ({ params }) => responseOf(await channels.show(params.id)),
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        path: `${path}/{id}`,
        summary: 'Change a notification channel',
        description:
          'Replaces the name and the configuration; the kind stays. A secret sent back as ***hidden*** is kept, unless the server it belongs to changes.',
        body: newChannel,
        responses: { 200: { schema: channel } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, body, principal }) => responseOf(await channels.change(params.id, body, principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: `${path}/{id}`,
        summary: 'Delete a notification channel',
        description: 'With its delivery log and everything that waits to be sent.',
        responses: { 200: { schema: removed } },
        errors: ['not_found'],
      },
      async ({ params, principal }) => {
        await channels.remove(params.id, principal);
        return { message: 'Notification channel deleted' };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: `${path}/{id}/test`,
        summary: 'Send a test message',
        description: 'Sends at once, also through a disabled channel, and answers with the reply of the service.',
        responses: { 200: { schema: testResult } },
        errors: ['not_found'],
      },
      async ({ params, principal, request }) => {
        const { id, name } = await channels.get(params.id);
        const startedAt = performance.now();
        const leaving = new AbortController();
        request.once('close', () => leaving.abort(new Error('The client left')));
        const message = {
          id: newId(),
          title: 'Test message',
          text: `${principal.username} sent this to test the channel “${name}”. Nothing is wrong.`,
          url: linkTo('/system/notifications/channels'),
          severity: 'info',
          at: clock.now(),
          tenants: [],
        } as const;
        const [delivered, reply] = await channels.send(id, message, leaving.signal).then(
          (answer) => [true, answer] as const,
          (error: unknown) => [false, messageOf(error)] as const,
        );
        return { delivered, reply, duration_ms: Math.round(performance.now() - startedAt) };
      },
    ),
  ];
}
