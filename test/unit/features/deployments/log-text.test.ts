import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { logText } from '../../../../src/features/deployments/presentation.ts';
import { MessageFile } from '../../../../src/lib/streams/message-file.ts';
import { ReplayStream } from '../../../../src/lib/streams/replay-stream.ts';

test('a log that did not fit on the disk can still be read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-log-'));
  await writeFile(join(directory, 'no-directory'), '');
  const tail = new ReplayStream({ file: new MessageFile(join(directory, 'no-directory', 'log')), ring: 10 });
  tail.append({ type: 'log', message: 'first' });
  await tail.flushed();
  for (let count = 0; count < 20_000; count += 1) tail.append({ type: 'log', message: `line ${count}` });
  expect(await logText(tail)).toMatch(/could not be saved\)\n$/);
  await rm(directory, { recursive: true });
});
