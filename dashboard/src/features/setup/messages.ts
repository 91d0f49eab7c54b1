import { translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Finish setting up',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  show: (progress: string) => `Finish setting up: ${progress}`,
  dismiss: 'Hide this list',
  done: 'Done',
  open: 'To do',
  steps: {
    own_password: {
      title: 'Choose your own password',
      hint: 'Yours is still the one that the account was created with.',
      action: 'Change password',
    },
    host_checked: {
      title: 'Check this host',
      hint: 'Tries out the engine, registries, networks and disks, so that the first deployment works.',
      action: 'Open the check',
    },
    second_admin: {
      title: 'Add a second administrator',
      hint: 'If one of you loses the password, the other can set a new one.',
      action: 'Open users',
    },
    proxy_and_certificates: {
      title: 'Serve host names with certificates',
      hint: 'Without a reverse proxy, tenants are only reached by their ports.',
      action: 'Open reverse proxy',
    },
    backup_schedule: {
      title: 'Schedule backups',
      hint: 'Tenants without a schedule of their own are not backed up.',
      action: 'Open settings',
    },
    offsite_copies: {
      title: 'Keep copies of backups off-site',
      hint: 'Backups are only on the manager’s machine.',
      action: 'Open settings',
    },
    notification_channel: {
      title: 'Receive alerts about trouble',
      hint: 'No rule sends alerts to a channel, such as e-mail or a chat.',
      action: 'Open notifications',
    },
    first_tenant: {
      title: 'Deploy the first tenant',
      hint: 'Give it a name and the git repository to deploy from.',
      action: 'New tenant',
    },
  },
};

export const setupText = translated({ en, es });
