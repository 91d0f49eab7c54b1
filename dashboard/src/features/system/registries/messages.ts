import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  section: 'Image registries',
  hint: 'Credentials for private base images. They serve the builds of the tenants and repositories that you choose, and MARIADB_IMAGE.',
  add: 'Add registry',
  emptyTitle: 'No credentials',
  emptyHint: 'Public images need none. Those of REGISTRY_AUTH_FILE serve all tenants and are not shown here.',
  columns: { host: 'Registry', use: 'Used by', changed: 'Changed', actions: 'Actions' },
  unused: 'none yet',
  tenants: (count: number) => format('{count, plural, one {# tenant} other {# tenants}}', { count }),
  repositories: (count: number) => format('{count, plural, one {# repository} other {# repositories}}', { count }),
  test: 'Test',
  testOf: (host: string) => `Test the credentials for ${host}`,
  accepted: (host: string) => `${host} accepts the credentials`,
  refused: (host: string) => `${host} refuses the credentials`,
  actionsOf: (host: string) => `Actions for ${host}`,
  edit: 'Edit',
  delete: 'Delete',
  deleting: {
    title: (host: string) => `Delete the credentials for ${host}?`,
    hint: 'Builds that need private images of this registry will fail.',
    submit: 'Delete',
    done: (host: string) => `Credentials for ${host} deleted`,
  },
  form: {
    add: 'Add registry',
    edit: 'Edit registry',
    host: 'Registry',
    hostHint: 'Its host name, with the port if it has one: docker.io, ghcr.io, registry.example.org:5000',
    username: 'User name',
    password: 'Password or token',
    kept: 'Leave empty to keep the stored one.',
    tenants: 'Tenants',
    tenantsHint: 'Their builds may use the credentials.',
    noTenants: 'None',
    repositories: 'Repositories',
    repositoriesHint: 'Git addresses, one per line. Builds of any tenant from these may use the credentials.',
    submit: 'Save',
    saved: 'Registry saved',
  },
};

export const registriesText = translated({ en, es });
