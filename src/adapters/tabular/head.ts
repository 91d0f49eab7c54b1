import { open } from '../../lib/files/changes.ts';

/** The first bytes of a file. */
export async function headOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(bytes);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(head, filled, bytes - filled, filled);
      filled += bytesRead;
      if (bytesRead === 0 || filled === bytes) return head.subarray(0, filled);
    }
  } finally {
    await file.close();
  }
}
