import { number, tenants } from './counted.ts';

/** Actions on many tenants at once. */
export const bulkText = {
  selectAll: 'Select all shown',
  column: 'Selected',
  selectOne: (name: string) => `Select ${name}`,
  hint: 'Select tenants to start, stop, restart or upgrade them together',
  selected: (count: number) => `${number(count)} selected`,
  hidden: (count: number) => `${number(count)} of them not shown here`,
  actions: 'With those selected',
  clear: 'Clear',
  start: 'Start …',
  stop: 'Stop …',
  restart: 'Restart …',
  upgrade: 'Upgrade …',
  confirm: {
    start: {
      title: (count: number) => `Start ${tenants(count)}?`,
      hint: 'A few at a time. Each is started and looked at until it stays up.',
      submit: (count: number) => `Start ${tenants(count)}`,
    },
    stop: {
      title: (count: number) => `Stop ${tenants(count)}?`,
      hint: 'Their visitors see an error page until they are started again. Their data stays as it is.',
      submit: (count: number) => `Stop ${tenants(count)}`,
    },
    restart: {
      title: (count: number) => `Restart ${tenants(count)}?`,
      hint: 'A few at a time. The visitors of each see an error page for some seconds.',
      submit: (count: number) => `Restart ${tenants(count)}`,
    },
  },
  which: 'Which',
  leftOut: (count: number) =>
    count === 1 ? '1 selected tenant is left out' : `${count} selected tenants are left out`,
  whyLeftOut: {
    notDeployed: 'not deployed',
    runs: 'runs already',
    stopped: 'does not run',
  },
  nobody: {
    start: 'None of them can be started',
    stop: 'None of them can be stopped',
    restart: 'None of them can be restarted',
  },
  nobodyHint: 'Those selected are listed with the reason.',
  doing: {
    start: (count: number) => `Starting ${tenants(count)}`,
    stop: (count: number) => `Stopping ${tenants(count)}`,
    restart: (count: number) => `Restarting ${tenants(count)}`,
  },
  ended: {
    start: (done: number, all: number) =>
      done === all ? `${tenants(all)} started` : `${done} of ${tenants(all)} started`,
    stop: (done: number, all: number) =>
      done === all ? `${tenants(all)} stopped` : `${done} of ${tenants(all)} stopped`,
    restart: (done: number, all: number) =>
      done === all ? `${tenants(all)} restarted` : `${done} of ${tenants(all)} restarted`,
  },
  progress: 'Progress',
  counts: {
    done: (count: number) => `${count} done`,
    failed: (count: number) => `${count} failed`,
    underWay: (count: number) => `${count} under way`,
    waiting: (count: number) => `${count} to do`,
    unknown: (count: number) => `${count} not known`,
  },
  states: {
    waiting: 'To do',
    underWay: 'Under way',
    done: 'Done',
    failed: 'Failed',
    unknown: 'Asked for; the answer was lost',
  },
  failed: 'Something went wrong.',
  held: {
    asked: 'Paused. Those that are to do stay as they are.',
    reload: 'The page was loaded anew in between. Go on with what is left?',
    lost: 'The manager could not be asked. Go on once it is back.',
  },
  keepOpen: 'Keep this page open until it has ended; other pages of the dashboard can be looked at meanwhile.',
  hold: 'Pause',
  resume: 'Go on',
  retry: (count: number) => `Try ${count === 1 ? 'it' : `the ${count}`} again`,
  dismiss: 'Close',
  all: 'Each tenant',
  show: 'Show',
};
