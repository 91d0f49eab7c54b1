/**
 * Runs all benchmarks, or the named ones: `npm run bench -- deploy sweep`. Each measures Tenantry and a peer in the same run and
 * prints the ratio (the median of its rounds) and whether it meets its target. Exits with code 1 if a target is missed.
 */
import { type Benchmark, conditions, detailedVerdictLine, isMet, onStage, verdictLine } from './harness/harness.ts';

const benchmarks: Record<string, { title: string; load(): Promise<Benchmark> }> = {
  deploy: {
    title: 'Deploying a tenant, against a shell script that does the same',
    load: async () => (await import('./deploy/deploy.ts')).benchDeploy,
  },
  sweep: {
    title: 'A health sweep over 1,000 tenants, against a bare loop of the same requests',
    load: async () => (await import('./sweep/sweep.ts')).benchSweep,
  },
  history: {
    title: 'A health sweep over 1,000 tenants with history, diagnoses and alerts, against one without',
    load: async () => (await import('./history/history.ts')).benchHistory,
  },
  alerts: {
    title: 'Deployments while 1,000 alerts are due at once, against deployments without alerts',
    load: async () => (await import('./alerts/alerts.ts')).benchAlerts,
  },
  stream: {
    title: 'A deployment log with 200 viewers, against one without',
    load: async () => (await import('./stream/stream.ts')).benchStream,
  },
  list: {
    title: 'The list of tenants, against a bare Express route with the same queries',
    load: async () => (await import('./list/list.ts')).benchList,
  },
  dashboard: {
    title: 'Changing between pages of the dashboard with 500 tenants, against 100 ms',
    load: async () => (await import('./dashboard/dashboard.ts')).benchDashboard,
  },
  'log-search': {
    title: 'A search of 1 GB of kept logs, against ripgrep (or grep) on the same lines unpacked',
    load: async () => (await import('./log-search/log-search.ts')).benchLogSearch,
  },
  proxy: {
    title: 'nginx with 1,000 tenants: rendering, applying, reloading, against nginx by hand',
    load: async () => (await import('./proxy/proxy.ts')).benchProxy,
  },
  backup: {
    title: 'Backing up and restoring 1 GB, against mariadb-dump | gzip and gunzip | mariadb',
    load: async () => (await import('./backup/backup.ts')).benchBackup,
  },
  mapping: {
    title: 'Columns of contact lists that are mapped correctly, in layouts of many systems',
    load: async () => (await import('./mapping/mapping.ts')).benchMapping,
  },
  theme: {
    title: 'A brand’s primary colour, found on stored web pages',
    load: async () => (await import('./theme/theme.ts')).benchTheme,
  },
  import: {
    title: 'A list of a million rows: parse, validate and import, against only the libraries and the database',
    load: async () => (await import('./import/import.ts')).benchImport,
  },
  fleet: {
    title: 'A fleet upgrade of 20 tenants with one build, against a shell loop of the same docker commands',
    load: async () => (await import('./fleet/fleet.ts')).benchFleet,
  },
  'swarm-sweep': {
    title: 'The states of 500 services on a swarm, against one bare listing',
    load: async () => (await import('./swarm/sweep.ts')).benchSwarmSweep,
  },
  'swarm-deploy': {
    title: 'Deploying a tenant to a swarm, against a shell script of the same docker commands',
    load: async () => (await import('./swarm/deploy.ts')).benchSwarmDeploy,
  },
  'swarm-recovery': {
    title: 'A site after the loss of its node, against Swarm’s own rescheduling',
    load: async () => (await import('./swarm/recovery.ts')).benchSwarmRecovery,
  },
  idle: {
    title: 'Memory at rest and time to start, against bare Express and Sequelize',
    load: async () => (await import('./idle/idle.ts')).benchIdle,
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}

console.log(conditions());
const summary: string[] = [];
for (const [name, { title, load }] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n── ${name}: ${title}`);
  const findings = await onStage(name, async (stage) => (await load())(stage));
  if ('skipped' in findings) {
    console.log(`skipped: ${findings.skipped}`);
    summary.push(`skipped   ${name}: ${findings.skipped}`);
    continue;
  }
  for (const verdict of findings.verdicts) {
    console.log(detailedVerdictLine(verdict));
    summary.push(verdictLine({ ...verdict, what: `${name}: ${verdict.what}` }));
    if (!isMet(verdict)) process.exitCode = 1;
  }
  for (const line of findings.lines) console.log(`  ${line}`);
}
console.log(`\n── targets\n${summary.join('\n')}`);
