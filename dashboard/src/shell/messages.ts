import { format, translated } from '../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  skipToContent: 'Skip to content',
  navigation: 'Main',
  unhealthyTenants: (count: number) => format('{count, plural, one {# tenant} other {# tenants}} unhealthy', { count }),
  apiDocs: 'API',
  signOut: 'Sign out',
  passwordChanged: 'Password changed',
  timesIn: (zone: string) => `Times: ${zone}`,
  appearance: 'Appearance',
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  sidebar: 'Toggle sidebar',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  live: { online: 'Live', connecting: 'Connecting…', offline: 'Connection lost. Reconnecting…' },
  help: 'Help for this page',
  shortcuts: {
    title: 'Keyboard shortcuts',
    palette: 'Search tenants, pages and actions',
    search: 'Search this page',
    home: 'Go to Home',
    tenants: 'Go to Tenants',
    move: 'Move to the next or previous control',
    choose: 'Move in menus, tabs and lists of choices',
    close: 'Close a dialog, panel or menu',
    list: 'Show this list',
  },
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
  account: (username: string) => `Account: ${username}`,
};

export const shellText = translated({ en, es });
