import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';
import { until } from '../../harness/data/tenants.ts';
import { type MailServer, startMailServer } from '../../harness/servers/smtp.ts';

eachStoreApp(
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

      await app().call('PUT', path, { body: { email: 'first@example.org' } });
      await until(
        () => arrived('first@example.org'),
        ({ length }) => length === 1,
      );
      await app().call('PUT', path, { body: { email: 'second@example.org' } });
      await until(
        () => arrived('second@example.org'),
        ({ length }) => length === 1,
      );
      expect(await arrived('first@example.org')).toEqual([subject, subject]);

      await app().call('PUT', '/api/notifications/preferences', { token, body: { email: 'none' } });
      await app().call('PUT', path, { body: { email: 'third@example.org' } });
      await until(
        () => arrived('second@example.org'),
        ({ length }) => length === 2,
      );
      expect(await arrived('third@example.org')).toEqual([]);
    });
  },
  { environment: { ALLOW_PRIVATE_NOTIFICATIONS: 'true' } },
);
