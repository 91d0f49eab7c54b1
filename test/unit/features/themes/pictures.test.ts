import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { drawing } from '../../../../src/adapters/images/drawing.ts';
import { inProcess, limits, readPicture, redraw } from '../../../../src/adapters/images/read-picture.ts';
import { annotated, exif, movingWebp, pngChunk, withChunks } from '../../../harness/browser/annotated.ts';
import { bomb, imageInfo, jpeg, noise, png, svg, unpacked, webp } from '../../../harness/data/pictures.ts';
import { until } from '../../../harness/data/tenants.ts';

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'unsupported_file', message: expect.stringMatching(message) });

describe('raster images', () => {
  test.each([
    ['png', png],
    ['webp', webp],
  ] as const)('re-encodes %s with identical pixels, without trailing data', async (format, make) => {
    const content = await make();
    const noted = annotated(content, { exif: exif(1) });
    expect(noted.includes('Somebody Private')).toBe(true);
    const picture = await readPicture(Buffer.concat([noted, Buffer.from('<script>alert(1)</script>')]));
    expect(picture.content.includes('Somebody Private')).toBe(false);
    expect(picture).toMatchObject({ format, width: 300, height: 120 });
    expect(picture.content.includes('<script>')).toBe(false);
    expect((await unpacked(picture.content)).data.equals((await unpacked(content)).data)).toBe(true);
  });

  test('rotates a JPEG by its EXIF orientation, and removes the EXIF data', async () => {
    const content = await jpeg();
    expect(content.includes('Somebody Private')).toBe(true);
    const picture = await readPicture(content);
    expect(picture).toMatchObject({ format: 'jpeg', width: 120, height: 300 });
    expect(await imageInfo(picture.content)).toEqual({ format: 'jpeg', width: 120, height: 300 });
    expect(picture.content.includes('Exif')).toBe(false);
    expect(picture.content.includes('Somebody Private')).toBe(false);
  });

  test('rejects one that is too large by its header before decoding', async () => {
    await expect(readPicture(await bomb(60_000))).rejects.toEqual(refused(/at most 4096 pixels.*60000 × 60000/));
    await expect(readPicture(await png({ width: 4_097, height: 20 }))).rejects.toEqual(refused(/4097 × 20/));
    await expect(readPicture(await png({ width: 4, height: 4 }))).rejects.toEqual(refused(/at least 8 pixels/));
  });

  test.each([
    ['empty', async () => Buffer.alloc(0), /is empty/],
    ['cut short', async () => (await png()).subarray(0, 700), /damaged or cut short/],
    ['a signature alone', async () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /damaged or cut short/],
    ['a GIF', async () => Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), /must be a PNG, JPEG, WebP or SVG/],
    ['a page', async () => Buffer.from('<!doctype html><html><body></body></html>'), /must be a PNG/],
    ['a program', async () => Buffer.from('\x7fELF\x02\x01', 'latin1'), /must be a PNG/],
  ])('rejects what is %s', async (_what, make, message) => {
    await expect(readPicture(await make())).rejects.toEqual(refused(message));
  });

  test.each([
    ['WebP', async () => movingWebp(await webp(), 2)],
    ['PNG', async () => withChunks(await png(), pngChunk('acTL', Buffer.from('\0\0\0\x02\0\0\0\0', 'latin1')))],
  ])('rejects an animated %s', async (_format, make) => {
    await expect(readPicture(await make())).rejects.toEqual(refused(/animated/));
  });

  test('an icon is square, without the border, with the rest transparent', async () => {
    const icon = await redraw(await readPicture(await png()), { side: 256, as: 'icon' });
    expect(icon).toMatchObject({ format: 'png', width: 256, height: 256 });
    const { data } = await unpacked(icon.content);
    const at = (x: number, y: number) => [...data.subarray((y * 256 + x) * 4, (y * 256 + x) * 4 + 4)];
    expect(at(128, 128)).toEqual([0xc0, 0x14, 0x3c, 255]);
    // The disc fills it: the white border of the wide picture is gone.
    expect(at(128, 6)).toEqual([0xc0, 0x14, 0x3c, 255]);
    expect(at(6, 128)).toEqual([0xc0, 0x14, 0x3c, 255]);
    const wide = await redraw(await readPicture(svg('<rect width="40" height="20" fill="#00F"/>')), {
      side: 64,
      as: 'icon',
    });
    const alpha = (await unpacked(wide.content)).data[3];
    expect(wide).toMatchObject({ width: 64, height: 64 });
    expect(alpha).toBe(0);
  });

  test('a smaller picture keeps its aspect ratio', async () => {
    const small = await redraw(await readPicture(await noise(700)), { side: 128, as: 'within' });
    expect(small).toMatchObject({ format: 'webp', width: 128, height: 128 });
    expect(small.content.length).toBeLessThan(48 * 1024);
  });
});

/** How many of our renderer processes run. */
async function renderers(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', String(process.pid), '-o', 'args=']).catch(() => ({
    stdout: '',
  }));
  return stdout.split('\n').filter((line) => line.includes('picture-program')).length;
}

describe('SVG drawings', () => {
  test('become a PNG: scripts do not run, and nothing is loaded', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = pathToFileURL(join(import.meta.dirname, 'pictures.test.ts')).href;
    const picture = await readPicture(
      Buffer.concat([
        Buffer.from(
          `\uFEFF<?xml version="1.0"?>\n<!-- Generator: <svg> --><?xml-stylesheet href="${evil}/s.css"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "${evil}/x.dtd">\n`,
        ),
        svg(
          `<script>alert(1)</script><script href="${evil}/a.js"/>
           <style><![CDATA[@import "${evil}/a.css"; @import "${local}"; .b{fill:url(${evil}/b)} .e{fill:#0000ff}]]></style>
           <defs><symbol id="s" viewBox="0 0 2 2"><rect width="2" height="2" fill="#00ff00"/></symbol></defs>
           <foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="${evil}/i" onerror="alert(1)"/></body></foreignObject>
           <use href="${evil}/x.svg#s"/><use href="${local}#s"/>
           <text y="90"><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="${local}"/></text>
           <rect class="e" width="20" height="20"/><use xlink:href="#s" x="20" width="20" height="20"/>`,
          'viewBox="0 0 40 20" onload="alert(1)"',
        ),
      ]),
    );
    expect(picture).toMatchObject({ format: 'png', width: 1_024, height: 512 });
    const { data, width } = await unpacked(picture.content);
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
    expect([at(100, 100), at(900, 100)]).toEqual([
      [0, 0, 255, 255],
      [0, 255, 0, 255],
    ]);
    expect(requests).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('may declare entities for plain texts, as those of Illustrator do; others are rejected', async () => {
    const from = (declared: string, content: string): Buffer<ArrayBuffer> =>
      Buffer.from(
        `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd" [ ${declared} ]>${content}`,
      );
    const names =
      '<!ENTITY ns_ai "http://ns.adobe.com/ai/10/">\n<!ENTITY ns_svg \'http://www.w3.org/2000/svg\'> <!ENTITY red "#ff0000">';
    const illustrated = `<svg xmlns:i="&ns_ai;" xmlns="&ns_svg;" viewBox="0 0 40 20"><switch>
      <foreignObject requiredExtensions="&ns_ai;"><i:pgfRef href="#pgf"/></foreignObject>
      <g i:extraneous="self"><path fill="&red;" d="M0 0h40v20H0z"/><title>&amp;</title></g></switch><i:pgf id="pgf">AAAA</i:pgf></svg>`;
    const { content } = await readPicture(from(names, illustrated));
    expect([...(await unpacked(content)).data.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
    const many = `<svg xmlns="http://www.w3.org/2000/svg">${'&ns_ai;'.repeat(3_000)}</svg>`;
    for (const refusedOne of [
      from(`${names} <!ENTITY deep "&ns_ai;">`, illustrated),
      from(`${names} <!ENTITY file SYSTEM "file:///etc/passwd">`, illustrated),
      from(names, many),
    ])
      await expect(readPicture(refusedOne)).rejects.toEqual(refused(/no entities/));
  });

  const path = '<path d="M0 0h9v9"/>';
  test.each([
    [
      'entities',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
      ),
      /no entities/,
    ],
    ['no end', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g>'), /could not be read/],
    ['no namespace', Buffer.from('<svg viewBox="0 0 9 9"><path d=""/></svg>'), /must begin with <svg/],
    [
      'another root',
      Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"><svg xmlns="http://www.w3.org/2000/svg"/></html>'),
      /must begin with <svg/,
    ],
    ['nothing but a script', svg('<script>alert(1)</script>'), /draws nothing/],
    ['nothing in sight', svg('<rect x="900" width="9" height="9"/>'), /draws nothing/],
    ['a picture', svg(`${path}<image href="data:image/png;base64,AAAA"/>`), /must contain no pictures/],
    ['a picture by another prefix', svg('<x:image xmlns:x="http://www.w3.org/2000/svg"/>'), /must contain no pictures/],
    ['a picture in a filter', svg('<filter id="f"><feImage href="a.png"/></filter>'), /must contain no pictures/],
    ['no size', svg(path, ''), /must have a viewBox/],
    ['a depth without end', svg(`${'<g>'.repeat(5_000)}${path}${'</g>'.repeat(5_000)}`), /at most 200 elements deep/],
    ['too many elements', svg('<path/>'.repeat(20_001)), /at most 20000 elements/],
    [
      'another encoding',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>\xe4</text></svg>', 'latin1'),
      /UTF-8/,
    ],
    ['too many bytes', svg(`<path d="${'M0 0'.repeat(150_000)}"/>`), /at most 512 KiB/],
    ['a size beyond all screens', svg(path, 'width="90000" height="20"'), /at most 4096.*90000 × 20/],
  ])('with %s are rejected', async (_what, content, message) => {
    await expect(drawing(content)).rejects.toEqual(refused(message));
  });

  test('a raster image gets the time that the largest needs on a slow machine, and the error reports an excess', async () => {
    const task = { kind: 'clean' as const, format: 'png' as const };
    await expect(inProcess(task, await png(), { timeoutMs: 1 })).rejects.toEqual(refused(/takes too long to be read/));
    // Of the largest sides, WebP with loss takes most: 17 s on a busy machine.
    expect(limits.clean.timeoutMs).toBeGreaterThan(3 * 17_000);
  });

  test('that take too long are ended with their process', async () => {
    const steps = '<feMorphology operator="dilate" radius="2000"/>'.repeat(20);
    const content = svg(
      `<filter id="f" x="0" y="0" width="1" height="1">${steps}</filter><rect width="3000" height="3000" filter="url(#f)"/>`,
      'viewBox="0 0 3000 3000"',
    );
    await expect(inProcess({ kind: 'draw' }, content, { timeoutMs: 1_500 })).rejects.toEqual(refused(/too complex/));
    const givenUp = new AbortController();
    const failed = expect(inProcess({ kind: 'draw' }, content, givenUp)).rejects.toThrow('given up');
    await until(renderers, (programs) => programs === 1);
    givenUp.abort(new Error('given up'));
    await failed;
    await until(renderers, (programs) => programs === 0);
  });
});
