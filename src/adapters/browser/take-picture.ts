import type { BrowserContext } from 'playwright-core';

export const pictureSize = { width: 1280, height: 800 } as const;
/** More than an uncompressed picture of this size has. */
const mostBytes = 5 * 1024 ** 2;
/** After the page has loaded, its scripts may ask for more, such as pictures and fonts. */
const quietMs = 2_000;

interface Picture {
  png: Buffer;
  finalUrl: string;
}

/**
 * Opens the page and takes a picture of what is seen first.
 * @param loadMs what has not loaded then is left out
 * @throws playwright's errors
 */
export async function takePicture(context: BrowserContext, address: URL, loadMs: number): Promise<Picture> {
  const page = await context.newPage();
  context.on('page', (popup) => void popup.close().catch(() => undefined));
  const response = await page.goto(address.href, { waitUntil: 'commit', timeout: loadMs });
  // As the browser says where the answer is empty.
  if (response && response.status() >= 400) throw new Error('net::ERR_HTTP_RESPONSE_CODE_FAILURE');
  await page.waitForLoadState('load', { timeout: loadMs }).catch(() => undefined);
  await page.waitForLoadState('networkidle', { timeout: quietMs }).catch(() => undefined);
  // A script may have led on to an address that was refused.
  if (page.url().startsWith('chrome-error:')) throw new Error('the page ended in chrome-error');
  const png = await page.screenshot({ type: 'png', animations: 'disabled', timeout: loadMs });
  if (png.length > mostBytes) throw new Error('the picture is larger than 5 MB');
  return { png, finalUrl: page.url() };
}
