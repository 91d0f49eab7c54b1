import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { createSelfSigned } from '../../../../src/adapters/certificates/self-signed.ts';

const now = new Date();
const clock = { now: () => now };
const work = { log: () => undefined, signal: new AbortController().signal };
const names = ['app.example.org', 'api.example.org'];

describe('self-signed certificates', () => {
  test('covers all names for the requested days; a client that trusts it connects with both', async () => {
    const certificates = await createSelfSigned({ clock, days: 7 }).obtain([...names, ...names], work);
    expect(certificates).toHaveLength(1);
    const [certificate] = certificates;
    if (!certificate) throw new Error('none');
    expect(certificate.names).toEqual(names);
    expect(certificate.issuer).toBe('Tenantry self-signed');
    expect(Math.round((certificate.notAfter.getTime() - now.getTime()) / 86_400_000)).toBe(7);
    expect(certificate.notBefore.getTime()).toBeLessThan(now.getTime());

    const server = createServer({ cert: certificate.chain, key: certificate.privateKey }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const speak = async (servername: string): Promise<boolean> => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername, ca: certificate.chain });
      await once(socket, 'secureConnect');
      socket.destroy();
      return socket.authorized;
    };
    expect(await Promise.all(names.map(speak))).toEqual([true, true]);
    await expect(speak('other.example.org')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    server.close();
  });

  test('are never equal', async () => {
    const authority = createSelfSigned({ clock });
    const [[one], [other]] = [await authority.obtain(names, work), await authority.obtain(names, work)];
    expect(one?.fingerprint).not.toBe(other?.fingerprint);
    if (one) await expect(authority.revoke(one, work)).resolves.toBeUndefined();
  });

  test.each([[[]], [['no host']], [['*.example.org']]])('rejects %j', async (odd) => {
    await expect(createSelfSigned({ clock }).obtain(odd, work)).rejects.toMatchObject({ name: 'CertificateRefused' });
  });
});
