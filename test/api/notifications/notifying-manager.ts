/** Stores alert after alert in a database, names each one that is stored, and waits to be killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { alertOf, openAlerting } from './alerting-parts.ts';

const [, , databaseUrl = '', count = ''] = process.argv;
const { notifications } = await openAlerting(databaseUrl);
for (let index = 0; index < Number(count); index += 1) {
  // Half of them go to the outbox, half to a digest.
  await notifications.notify(alertOf(`deployment/${index}/failed`, { severity: index % 2 === 0 ? 'error' : 'info' }));
  process.stdout.write(`deployment/${index}/failed\n`);
}
await sleep(120_000);
