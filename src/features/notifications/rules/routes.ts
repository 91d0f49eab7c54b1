import { z } from 'zod';
import { toTimestamp } from '../../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import type { Rules } from './rules.ts';
import { preferenceChanges, preferences, rule, ruleBody, ruleList } from './schema.ts';
import type { RuleRow } from './store.ts';

const responseOf = ({ id, enabled, rule: kept, createdAt, updatedAt }: RuleRow) => ({
  id,
  enabled,
  ...kept,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
});

const common = { tag: 'Notifications' } as const;

export const ruleRoutes = (rules: Rules): Route[] => [...sharedRoutes(rules), ...preferenceRoutes(rules)];

function sharedRoutes(rules: Rules): Route[] {
  const admin = { ...common, access: 'administer' } as const;
  return [
    defineRoute(
      {
        ...admin,
        method: 'get',
        path: '/api/notifications/rules',
        summary: 'List the notification rules',
        description: 'In the order of their creation. A channel that several rules choose sends an alert once.',
        query: pagingQuery(500),
        responses: { 200: { schema: ruleList } },
      },
      async ({ query: { limit, offset } }) => {
        const all = await rules.list();
        return { rules: all.slice(offset, offset + limit).map(responseOf), total: all.length, limit, offset };
      },
    ),
    defineRoute(
      {
        ...admin,
        method: 'post',
        path: '/api/notifications/rules',
        summary: 'Create a notification rule',
        body: ruleBody,
        responses: { 201: { schema: rule } },
      },
      async ({ body, principal }) => responseOf(await rules.create(body, principal)),
    ),
    defineRoute(
      {
        ...admin,
        method: 'put',
        path: '/api/notifications/rules/{id}',
        summary: 'Replace a notification rule',
        body: ruleBody,
        responses: { 200: { schema: rule } },
        errors: ['not_found'],
      },
      async ({ params, body, principal }) => responseOf(await rules.replace(params.id, body, principal)),
    ),
    defineRoute(
      {
        ...admin,
        method: 'delete',
        path: '/api/notifications/rules/{id}',
        summary: 'Delete a notification rule',
        description: 'What it has already sent, or collected for a digest, is not affected.',
        responses: { 200: { schema: z.object({ message: z.string() }) } },
        errors: ['not_found'],
      },
      async ({ params, principal }) => {
        await rules.remove(params.id, principal);
        return { message: 'Rule deleted' };
      },
    ),
  ];
}

function preferenceRoutes(rules: Rules): Route[] {
  const own = { ...common, path: '/api/notifications/preferences', access: 'view' } as const;
  return [
    defineRoute(
      {
        ...own,
        method: 'get',
        summary: 'What the current user wants to receive',
        responses: { 200: { schema: preferences } },
      },
      ({ principal }) => rules.preferencesOf(principal.userId),
    ),
    defineRoute(
      {
        ...own,
        method: 'put',
        summary: 'Change what the current user wants to receive',
        description: 'What is left out stays as it is.',
        body: preferenceChanges,
        responses: { 200: { schema: preferences } },
      },
      async ({ principal, body }) => {
        await rules.setPreferences(principal.userId, body);
        return rules.preferencesOf(principal.userId);
      },
    ),
  ];
}
