import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { type ColourField, type Colours, colourFields, coloursOfTheme, hexOf, type Theme } from '../colours.ts';

type Typed = Partial<Record<ColourField, string>>;

export interface Draft {
  /** The content of the fields, as typed. */
  typed: Colours;
  /** The colours to show; the saved one for a field without a valid colour. */
  colours: Colours;
  /** Fields without a valid colour. */
  wrong: readonly ColourField[];
  /** The ones that differ from the saved theme. */
  changed: readonly ColourField[];
  set(values: Typed): void;
  clear(): void;
}

/** Debounce of typing before the URL is updated. Milliseconds. */
const restMs = 300;
const keyOf = (field: ColourField): string => field.replace('_color', '');

const inAddress = (params: URLSearchParams): Typed =>
  Object.fromEntries(
    colourFields.flatMap((field) => {
      const hex = hexOf(params.get(keyOf(field)) ?? '');
      return hex ? [[field, hex]] : [];
    }),
  );

/** The colours being chosen, kept in the URL so that a refresh loses none. */
export function useDraft(theme: Theme): Draft {
  const [params] = useSearchParams();
  const [given, setGiven] = useState<Typed>(() => inAddress(params));
  const saved = coloursOfTheme(theme);
  const typed = { ...saved, ...given };
  const colours = { ...saved };
  for (const field of colourFields) colours[field] = hexOf(typed[field]) ?? saved[field];
  const wrong = colourFields.filter((field) => hexOf(typed[field]) === undefined);
  const changed = colourFields.filter((field) => colours[field] !== saved[field] || wrong.includes(field));

  const wanted = changed.map((field) => `${keyOf(field)} ${colours[field].slice(1)}`).join(',');
  const { pathname } = useLocation();
  useEffect(() => {
    const put = (): void => {
      // Bypasses the router: its navigation would cancel one that is in progress.
      if (window.location.pathname !== pathname) return;
      const next = new URLSearchParams(window.location.search);
      for (const field of colourFields) next.delete(keyOf(field));
      for (const pair of wanted.split(',').filter(Boolean)) {
        const [key = '', digits = ''] = pair.split(' ');
        next.set(key, digits);
      }
      window.history.replaceState(window.history.state, '', `${pathname}${next.size > 0 ? `?${next}` : ''}`);
    };
    // Saved or discarded changes must not reappear after a refresh.
    if (wanted === '') return put();
    const timer = setTimeout(put, restMs);
    return () => clearTimeout(timer);
  }, [wanted, pathname]);

  return {
    typed,
    colours,
    wrong,
    changed,
    set: (values) => setGiven((before) => ({ ...before, ...values })),
    clear: () => setGiven({}),
  };
}
