/**
 * The manager of alerts.ts in its own process. Answers its address, and raises alerts for each message: the number of the round.
 *
 *   node bench/alerts/worker.ts <data directory>
 */
import { readConfig } from '../../src/app/config/config.ts';
import { startManager } from '../../src/app/lifecycle/manager.ts';
import type { Alert } from '../../src/features/notifications/alert.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { adminPassword } from '../harness/manager.ts';

const count = 1_000;
/** As in alert-sources.ts. */
const pageSize = 200;

const [data = ''] = process.argv.slice(2);
const config = readConfig({
  DATA_DIR: data,
  PORT: '0',
  DASHBOARD_PORT: '0',
  RUNTIME: 'process',
  ADMIN_PASSWORD: adminPassword,
  ALLOW_LOCAL_REPOSITORIES: 'true',
  ALLOW_PRIVATE_NOTIFICATIONS: 'true',
});
const manager = await startManager(config, process.env, { logger: createLogger({ level: 'error' }) });
const { notify, channels, outbox } = manager.app.notifications;

/** New alerts, and as many messages that waited while a channel was down: all are due now. */
async function raise(round: number): Promise<void> {
  const [channel] = await channels.list();
  if (!channel) throw new Error('There is no channel');
  const at = new Date();
  const alerts = Array.from({ length: count }, (_, index): Alert => {
    const slug = `stub-${index}`;
    return {
      event: 'deployment',
      severity: 'error',
      key: `operation/${round}-${index}/failed`,
      title: `${slug}: Deployment failed`,
      text: 'Health check: the API did not answer',
      link: '/tenants',
      tenants: [{ id: slug, slug, name: slug, tags: [] }],
      at,
    };
  });
  await outbox.enqueue(
    alerts.map(({ key, title, text, severity }) => ({
      key: `waited/${key}`,
      channelId: channel.id,
      message: { title, text, url: 'http://localhost/', severity, at, tenants: [] },
      notBefore: at,
    })),
  );
  // By pages, as the sources of alerts do.
  for (let start = 0; start < count; start += pageSize) await notify(...alerts.slice(start, start + pageSize));
}

process.on('message', async (round: number) => {
  await raise(round);
  process.send?.('raised');
});
process.once('disconnect', () => void manager.stop().finally(() => process.exit(0)));
process.send?.(manager.url);
