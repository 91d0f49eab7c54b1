import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appOnSqlite } from '../../harness/app/each-store-app.ts';
import { until } from '../../harness/data/tenants.ts';
import { type MailServer, startMailServer } from '../../harness/servers/smtp.ts';

appOnSqlite(
  'a changed e-mail address',
  (app) => {
    let mail: MailServer;
    beforeAll(async () => {
      mail = await startMailServer({ security: 'none' });
    });
    afterAll(() => mail.stop());

    test('is reported to the old and to the new one, also if the user wants no e-mail', async () => {
      const config = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'tenantry@example.org' };
      const channel = { kind: 'email', name: 'Mail', config };
      expect((await app().call('POST', '/api/notifications/channels', { body: channel })).status).toBe(201);
      const { id, token } = await app().userOf('viewer');
      const path = `/api/users/${id}`;
      const arrived = async (address: string) =>
        mail.received.filter(({ to }) => to.includes(address)).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]);
      const subject = '[Tenantry] The e-mail address of your account was changed';
      // Messages to several addresses are sent in any order.
      const waitFor = async (address: string, count: number): Promise<void> => {
        const subjects = await until(
          () => arrived(address),
          ({ length }) => length >= count,
        );
        expect(subjects).toEqual(Array.from({ length: count }, () => subject));
      };

      await app().call('PUT', path, { body: { email: 'first@example.org' } });
      await waitFor('first@example.org', 1);
      await app().call('PUT', path, { body: { email: 'second@example.org' } });
      await waitFor('second@example.org', 1);
      await waitFor('first@example.org', 2);

      await app().call('PUT', '/api/notifications/preferences', { token, body: { email: 'none' } });
      await app().call('PUT', path, { body: { email: 'third@example.org' } });
      await waitFor('second@example.org', 2);
      expect(await arrived('third@example.org')).toEqual([]);
    });
  },
  { environment: { ALLOW_PRIVATE_NOTIFICATIONS: 'true' } },
);
