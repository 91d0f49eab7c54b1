import { counted, number, tenants } from '../../../lib/counted.ts';

interface Counts {
  success: number;
  failed: number;
  skipped: number;
  pending: number;
  running: number;
}

const ended =
  (done: string) =>
  ({ success, failed, skipped, pending, running }: Counts): string => {
    const total = success + failed + skipped + pending + running;
    return success === total ? `${tenants(total)} ${done}` : `${number(success)} of ${tenants(total)} ${done}`;
  };

/** Actions on many tenants at once. */
export const bulkText = {
  selectAll: 'Select all shown',
  column: 'Selected',
  selectOne: (name: string) => `Select ${name}`,
  hint: 'Select tenants to start, stop, restart or upgrade them together',
  selected: (count: number) => `${number(count)} selected`,
  hidden: (count: number) => `${number(count)} of them not shown here`,
  actions: 'Bulk actions',
  clear: 'Clear',
  start: 'Start…',
  stop: 'Stop…',
  restart: 'Restart…',
  upgrade: 'Upgrade…',
  confirm: {
    start: {
      title: (count: number) => `Start ${tenants(count)}?`,
      hint: 'The manager starts four at a time and checks that each stays up. You can close this page.',
      submit: (count: number) => `Start ${tenants(count)}`,
    },
    stop: {
      title: (count: number) => `Stop ${tenants(count)}?`,
      hint: 'Visitors see an error page until the tenants are started again. No data is changed.',
      submit: (count: number) => `Stop ${tenants(count)}`,
    },
    restart: {
      title: (count: number) => `Restart ${tenants(count)}?`,
      hint: 'The manager restarts four at a time. Visitors of each see an error page for some seconds. You can close this page.',
      submit: (count: number) => `Restart ${tenants(count)}`,
    },
  },
  which: 'Tenants',
  leftOut: (count: number) => counted(count, 'selected tenant is left out', 'selected tenants are left out'),
  whyLeftOut: {
    notDeployed: 'not deployed',
    runs: 'already running',
    stopped: 'not running',
  },
  none: {
    start: 'None of them can be started',
    stop: 'None of them can be stopped',
    restart: 'None of them can be restarted',
  },
  noneHint: 'The selected tenants are listed with the reason.',
  doing: {
    start: (count: number) => `Starting ${tenants(count)}`,
    stop: (count: number) => `Stopping ${tenants(count)}`,
    restart: (count: number) => `Restarting ${tenants(count)}`,
  },
  ended: { start: ended('started'), stop: ended('stopped'), restart: ended('restarted') },
  by: (user: string) => `By ${user},`,
  progress: 'Progress',
  counts: {
    success: (count: number) => `${number(count)} done`,
    failed: (count: number) => `${number(count)} failed`,
    running: (count: number) => `${number(count)} in progress`,
    pending: (count: number) => `${number(count)} pending`,
    skipped: (count: number) => `${number(count)} skipped`,
  },
  states: {
    pending: 'Pending',
    running: 'In progress',
    success: 'Done',
    failed: 'Failed',
    skipped: 'Skipped',
  },
  queued: 'Waiting for other bulk actions',
  cancelling: 'Cancelling: operations in progress finish first',
  cancelled: 'Cancelled',
  cancel: (count: number) => `Cancel the ${number(count)} pending`,
  retry: (count: number) => `Retry ${number(count)}`,
  dismiss: 'Close',
  all: 'All results',
  show: 'Show',
};
