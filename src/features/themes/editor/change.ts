import { isDeepStrictEqual } from 'node:util';
import type { Picture } from '../../../adapters/images/image.ts';
import { redraw } from '../../../adapters/images/read-picture.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { notFound } from '../../../lib/errors.ts';
import type { ThemeFields, ThemeRow, ThemeStore } from '../store.ts';
import type { AssetFiles } from './asset-files.ts';
import { filesOf, type Logo, type LogoName, type Logos, logoNames } from './logos.ts';
import type { ThemeColours } from './palette.ts';
import { unitLogo } from './unit-logo.ts';

/** Changes of a theme; absent fields stay unchanged. */
export interface ThemeChange {
  /** `#RRGGBB`, upper case. */
  colours?: Partial<ThemeColours>;
  /** null removes one. */
  logos?: Partial<Record<LogoName, Picture | null>>;
  /** Where the colours come from; of colours changed by hand, that they are not a model's. */
  origin?: { aiGenerated: boolean; sourceWebsite: string | null };
}

interface Changed {
  before: ThemeRow;
  after: ThemeRow;
}

interface Parts {
  store: Store;
  clock: Clock;
  rows: ThemeStore;
  files: AssetFiles;
  /** One change of a tenant's theme at a time, so that files written for one are not swept away by another. */
  locks: KeyedLock;
  get(tenantId: string): Promise<ThemeRow>;
}

/** Pixels of an icon's side: what a phone's home screen and a browser's tab are drawn from. */
const iconSide = 256;

/**
 * Changes a theme: files first, then the row that names them, then what no row names is removed. Whatever ends it between
 * leaves the theme as it was, and files that the next change removes.
 * @throws (the function) AppError not_found, insufficient_storage
 */
export function createThemeChanges({ store, clock, rows, files, locks, get }: Parts) {
  async function save(tenantId: string, change: ThemeChange): Promise<Changed> {
    const before = await get(tenantId);
    const logos = await withLogos(tenantId, before.fields.logos, change.logos ?? {});
    const colours = { ...before.fields.colours, ...change.colours };
    const byHand = Object.entries(colours).some(([name, colour]) => before.fields.colours[name as never] !== colour);
    const fields: ThemeFields = {
      colours,
      logos,
      aiGenerated: byHand ? false : before.fields.aiGenerated,
      sourceWebsite: before.fields.sourceWebsite,
      ...change.origin,
    };
    // Saved as it was it needs no restart of the services.
    const changedAt = isDeepStrictEqual(fields, before.fields) ? before.changedAt : clock.now();
    await store.transaction(async (transaction) => {
      if (!(await rows.find({ tenantId }, transaction))) throw notFound('tenant', tenantId);
      await rows.update({ fields, changedAt }, { tenantId }, transaction);
    });
    return { before, after: { ...before, fields, changedAt } };
  }

  async function withLogos(
    tenantId: string,
    before: Logos,
    given: Partial<Record<LogoName, Picture | null>>,
  ): Promise<Logos> {
    const logos: Logos = { ...before };
    for (const name of logoNames) {
      const picture = given[name];
      if (picture) logos[name] = await put(tenantId, picture);
      else if (picture === null) delete logos[name];
    }
    const isOurs = before.logo_icon === undefined || before.logo_icon.derived === true;
    if (given.logo_full !== undefined && given.logo_icon === undefined && isOurs) {
      if (given.logo_full === null) delete logos.logo_icon;
      else {
        const icon = await redraw(given.logo_full, { side: iconSide, as: 'icon' });
        logos.logo_icon = { ...(await put(tenantId, icon)), derived: true };
      }
    }
    return logos;
  }

  async function put(tenantId: string, picture: Picture): Promise<Logo> {
    const small = await unitLogo(picture);
    const file = await files.put(tenantId, picture);
    return { file, unitFile: small === picture ? file : await files.put(tenantId, small) };
  }

  /** Removes what no logo uses; best effort, as the next change does the same. */
  async function sweep(tenantId: string): Promise<void> {
    const row = await rows.find({ tenantId });
    await files.keepOnly(tenantId, row ? filesOf(row.fields.logos) : new Set());
  }

  return {
    change: (tenantId: string, change: ThemeChange): Promise<Changed> =>
      locks.run(tenantId, async () => {
        try {
          return await save(tenantId, change);
        } finally {
          await sweep(tenantId).catch(() => undefined);
        }
      }),

    /** Removes files that no theme uses: of a tenant that is gone, all of them. */
    sweep: (tenantId: string): Promise<void> => locks.run(tenantId, () => sweep(tenantId)),
  };
}

export type ThemeChanges = ReturnType<typeof createThemeChanges>;
