import { expect, test } from '@jest/globals';
import { describeProxy, front } from '../contracts/proxy.ts';
import { startTraefik } from '../harness/proxy/real-traefik.ts';

test('its API shows the options of its entry points, and the adapter what to set', async () => {
  const traefik = await startTraefik([front], ['--entryPoints.websecure.http.underscoreHeadersStrategy=keep']);
  const warningsAt = async (frontProxies: string[]) => {
    const proxy = await traefik.open({ frontProxies });
    const answer = await proxy.availability();
    await proxy.close();
    if (!answer.available) throw new Error(answer.reason);
    return answer.warnings?.map(({ params }) => params.option);
  };
  const kept = '--entryPoints.websecure.http.underscoreHeadersStrategy=delete';
  expect(await warningsAt([front])).toEqual([kept]);
  expect(await warningsAt(['192.0.2.1'])).toEqual([
    '--entryPoints.web.forwardedHeaders.trustedIPs=192.0.2.1',
    '--entryPoints.websecure.forwardedHeaders.trustedIPs=192.0.2.1',
    kept,
  ]);
  await traefik.close();
});

// With the options of compose.yaml.
describeProxy('the real Traefik', () => startTraefik([front]));
