import { createScreenshots } from '../../../../src/adapters/browser/screenshots.ts';
import { addressRule } from '../../../../src/lib/outbound-http/address.ts';
import { createConnect } from '../../../../src/lib/outbound-http/connect.ts';

/** A process that takes a screenshot, to be killed: `node screenshot-manager.ts <directory> <address>`. */
const [, , directory = '', address = ''] = process.argv;
const connect = createConnect({ rule: addressRule({ allowPrivate: true }) });
const screenshots = createScreenshots({ connect, chromiumPath: undefined, directory });
await screenshots.capture(new URL(address), { signal: new AbortController().signal });
