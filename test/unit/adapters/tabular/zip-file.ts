import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

interface ZipPart {
  name: string;
  data: string | Buffer;
  /** The declared size, even if false. */
  size?: number;
  encrypted?: boolean;
}

/** Writes a ZIP archive, also one with false declarations. */
export function writeZip(path: string, parts: readonly ZipPart[]): void {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, size, encrypted } of parts) {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const packed = deflateRawSync(bytes);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(encrypted ? 1 : 0, 2);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(bytes), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(size ?? bytes.length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    files.push(Buffer.from('PK\x03\x04'), header, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), header, rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(path, Buffer.concat([...files, ...directory, end]));
}
