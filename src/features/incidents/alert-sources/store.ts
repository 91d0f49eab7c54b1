import type { Store } from '../../../adapters/store/store.ts';
import { defineTable, instant, key, ownedBy, tableIn, text } from '../../../adapters/store/table.ts';

const cursorColumns = { name: key(text(40)), position: text() };
export const alertCursorsTable = defineTable('alert_cursors', cursorColumns);
const placeColumns = {
  userId: key(ownedBy('users')),
  kind: key(text<'network' | 'program'>(20)),
  place: key(text(128)),
  seenAt: instant,
};
export const signInPlacesTable = defineTable('sign_in_places', placeColumns);

/** From where a user signed in: the network and the program. */
export type SignInPlaces = Readonly<Record<'network' | 'program', string>>;

/** What sources of alerts remember across restarts. */
export function createAlertSourceStore(store: Store) {
  const cursors = tableIn(store, alertCursorsTable);
  const places = tableIn(store, signInPlacesTable);
  return {
    cursor: async (name: string): Promise<string | undefined> => (await cursors.find({ name }))?.position,
    saveCursor: (name: string, position: string): Promise<void> => cursors.upsert({ name, position }),

    /** What is new about a user's sign-in; nothing the first time. */
    async newPlaces(userId: string, found: SignInPlaces): Promise<('network' | 'program')[]> {
      const known = await places.all({ where: { userId } });
      if (known.length === 0) return [];
      return (['network', 'program'] as const).filter(
        (kind) => !known.some((row) => row.kind === kind && row.place === found[kind]),
      );
    },
    async savePlaces(userId: string, found: SignInPlaces, seenAt: Date): Promise<void> {
      for (const kind of ['network', 'program'] as const)
        await places.upsert({ userId, kind, place: found[kind], seenAt });
    },
  };
}
