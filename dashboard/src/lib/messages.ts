import { translated } from './language.ts';
import { es } from './messages.es.ts';

const en = {
  product: 'Tenantry',
  home: 'Home',
  tenants: 'Tenants',
  journal: 'Audit log',
  system: 'System',
  upgrades: 'Upgrades',
  palette: 'Search or run…',
  changePassword: 'Change password',
  sessions: 'Active sessions',
  tokens: 'API tokens',
  roles: { viewer: 'Viewer', operator: 'Operator', admin: 'Administrator' },
  loading: 'Loading…',
  cancel: 'Cancel',
  close: 'Close',
  retry: 'Try again',
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied',
  typeToConfirm: (what: string) => `Type ${what} to confirm`,
  never: 'never',
  none: 'none',
  requestId: (id: string) => `Request ${id}`,
  errors: {
    network: 'The manager can’t be reached. Check that it is running. This page retries automatically.',
    unexpected: 'Something went wrong.',
    whatToDo: {
      unauthorized: 'Your session ended before this was done. Try again.',
      token_expired: 'Your session ended before this was done. Try again.',
      operation_in_progress: 'Wait until the current operation has finished, then try again.',
      runtime_unavailable:
        'The engine that runs the tenants is unavailable. Check it on the host. Nothing was changed.',
      standby: 'This is the standby manager. Open the address of the active one.',
      database_unavailable: 'The manager’s own database is unavailable. Check it on the host. Nothing was changed.',
      insufficient_storage: 'Free disk space on the host, then try again.',
      git_error: 'Check the repository’s address and credentials.',
      ports_exhausted: 'Enlarge the port pool (PORT_POOL_START, PORT_POOL_END) or delete a tenant.',
      proxy_unavailable: 'Check the reverse proxy on the host, then try again. No site was changed.',
      internal_error: 'Search the manager’s log for the request ID to see the details.',
      forbidden: 'Ask an administrator for a role that allows this.',
      payload_too_large: 'Split it, or ask an administrator to raise the limit in the settings.',
      tenant_unreachable: 'Check the tenant’s health and start it, then try again. Nothing was lost.',
      tenant_error: 'The tenant’s application returned an unexpected response. Its logs may say why.',
      mapping_incomplete: 'Choose a column for each of them in the step “Columns”.',
      not_deployed: 'Deploy the tenant first.',
      invalid_state: 'Someone else may have changed it. Reload the page.',
    } as Record<string, string>,
  },
  status: { pending: 'Not deployed', running: 'Running', stopped: 'Stopped', error: 'Error' },
  health: { unknown: 'Unknown', healthy: 'Healthy', degraded: 'Degraded', unhealthy: 'Unhealthy' },
  healthNotChecked: 'Not checked',
  work: { queued: 'Queued', running: 'Running', success: 'Succeeded', failed: 'Failed', cancelled: 'Cancelled' },
};

/** Texts that several features share. */
export const text = translated({ en, es });
