import { tenants } from '../lib/counted.ts';

export const shellText = {
  skipToContent: 'Skip to content',
  navigation: 'Main',
  unhealthyTenants: (count: number) => `${tenants(count)} unhealthy`,
  apiDocs: 'API',
  signOut: 'Sign out',
  passwordChanged: 'Password changed',
  appearance: 'Appearance',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  live: { online: 'Live', connecting: 'Connecting…', offline: 'Connection lost. Reconnecting…' },
  notFound: {
    title: 'Page not found',
    hint: 'The address may be outdated, or the tenant was deleted.',
    back: 'All tenants',
  },
  errorBoundary: {
    title: 'This page can’t be shown',
    hint: 'The page could not be loaded, or an error occurred on it. If the connection was lost, the page reloads automatically.',
    again: 'Reload',
  },
  account: 'Account',
};
