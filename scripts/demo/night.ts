import { readdir, readFile, readlink } from 'node:fs/promises';
import { type Message, startReceiver } from './receiver.ts';
import { type Pictures, startPictures } from './screenshots.ts';
import { chapter, type Stage, say } from './stage.ts';

interface Diagnosis {
  cause: {
    code: string;
    title: string;
    confidence: string;
    evidence: { fact: string; source: string; at: string }[];
    remedy: { text: string } | null;
  } | null;
}

interface Incident {
  id: string;
  status: string;
  title: string;
  duration_seconds: number;
  acknowledged_by: string | null;
}

/**
 * A night: the tenant's API hangs while everybody sleeps. The manager notices, finds the cause, and sends one message; a person
 * acknowledges it and restarts the services; a second message says that all is well.
 * @param directory where pictures go; undefined: none are taken
 * @throws Error that names the act that did not happen
 */
export async function playNight(stage: Stage, directory: string | undefined): Promise<void> {
  const receiver = await startReceiver();
  const pictures = await startPictures(stage, directory, say);
  try {
    await play(stage, receiver, pictures);
  } finally {
    await pictures.close();
    await receiver.close();
  }
}

async function play(stage: Stage, receiver: Awaited<ReturnType<typeof startReceiver>>, pictures: Pictures) {
  const { client } = stage;
  const tenant = await stage.deployTenant();

  chapter('Evening: a channel and a rule');
  await client.call('PUT', '/api/settings/health_check_interval', { value: 10 });
  const channel = await client.call<{ id: string; name: string }>('POST', '/api/notifications/channels', {
    kind: 'webhook',
    name: 'The team’s pager',
    config: { url: receiver.url, secret: receiver.secret },
  });
  await client.call('POST', '/api/notifications/rules', {
    events: ['incident'],
    severity: 'info',
    channel_ids: [channel.id],
    digest_minutes: 0,
  });
  say(`Incidents go to “${channel.name}”, a receiver of signed webhooks. The manager checks the tenant every 10 s.`);

  chapter('At night: the tenant breaks');
  await suspendApi(stage);
  say(`The API of ${tenant.slug} hangs: its process is there, but answers nothing. Everybody sleeps.`);

  chapter('The manager notices, and finds the cause');
  const [found] = await client.until(
    async () => (await client.call<{ incidents: Incident[] }>('GET', '/api/incidents?status=unresolved')).incidents,
    (incidents) => incidents.length > 0,
    'An incident',
  );
  if (!found) throw new Error('No incident was opened');
  say(`Incident opened: ${found.title}`);
  const { cause } = await client.call<Diagnosis>('GET', `/api/tenants/${tenant.id}/diagnosis`);
  if (cause?.code !== 'application_hangs') throw new Error(`The cause was not found: ${JSON.stringify(cause)}`);
  say(`Cause:      ${cause.title} (${cause.code}, ${cause.confidence})`);
  for (const { fact, source, at } of cause.evidence) say(`Evidence:   ${fact} (${source}, ${at})`);
  say(`What to do: ${cause.remedy?.text}`);

  chapter('One message goes out');
  showMessage(await receiver.next('The message about the fault'), say);
  await showInbox(stage);
  await pictures.take('home', '/', 'View incident');
  await pictures.take('inbox', '/inbox', found.title);
  await pictures.take('incident-open', `/incidents/${found.id}`, 'Acknowledge');

  chapter('Somebody wakes up, and acknowledges it');
  const acknowledged = await client.call<Incident>('POST', `/api/incidents/${found.id}/acknowledge`);
  say(`Incident ${acknowledged.status} by ${acknowledged.acknowledged_by}: no reminders follow.`);
  await client.call('POST', `/api/incidents/${found.id}/notes`, { text: 'Restarting the services.' });

  chapter('The remedy: restart the services');
  const restarted = await client.call<{ message: string; services: { backend: string } }>(
    'POST',
    `/api/tenants/${tenant.id}/restart`,
  );
  say(`${restarted.message}; the API is ${restarted.services.backend}`);

  chapter('The tenant recovers');
  const over = await client.until(
    () => client.call<Incident>('GET', `/api/incidents/${found.id}`),
    ({ status }) => status === 'resolved',
    'The end of the incident',
  );
  say(`Incident ${over.status} after ${over.duration_seconds} s`);
  showMessage(await receiver.next('The message about the recovery'), say);
  if (receiver.count() !== 2) throw new Error(`${receiver.count()} messages were sent instead of 2`);
  await stage.showHealth();
  await pictures.take('incident-resolved', `/incidents/${found.id}`, 'Recovered after');
  await pictures.take('charts', `/tenants/${tenant.id}/metrics?range=1h`, 'Availability');

  chapter('Morning');
  say('Two messages in the whole night: what broke with what to do, and the recovery.');
}

/** Suspends the process of the tenant's API: it stays, but answers nothing, like a program in a deadlock. */
async function suspendApi({ directory }: Stage): Promise<void> {
  let suspended = 0;
  for (const pid of await readdir('/proc').catch(() => [])) {
    const [program, place] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      readlink(`/proc/${pid}/cwd`).catch(() => ''),
    ]);
    if (!program.includes('api/server.js') || !place.startsWith(directory)) continue;
    process.kill(Number(pid), 'SIGSTOP');
    suspended += 1;
  }
  if (suspended === 0) throw new Error('The process of the tenant’s API was not found: this demo needs Linux');
}

function showMessage({ title, text, url, severity }: Message, print: (text: string) => void): void {
  print(`Message received, its signature is valid (${severity}):`);
  for (const line of [title, ...text.split('\n'), url]) print(`   │ ${line}`);
}

async function showInbox({ client }: Stage): Promise<void> {
  const { entries } = await client.until(
    () => client.call<{ entries: { event: string; title: string }[] }>('GET', '/api/inbox'),
    (inbox) => inbox.entries.some(({ event }) => event === 'incident'),
    'The message in the inbox',
  );
  const about = entries.filter(({ event }) => event === 'incident');
  say(`The administrator’s inbox has the same: ${about.map(({ title }) => title).join('; ')}`);
  if (about.length !== 1) throw new Error(`The inbox has ${about.length} messages about the fault instead of 1`);
}
