import { apiSentences, apiText } from '../../lib/api-text.ts';
import { capital } from '../../lib/figures.ts';
import type { Suggestion } from './colours.ts';
import { themeText } from './messages.ts';

/** The name of a suggestion: one that the AI provider gave stays as it is. */
export const nameOf = ({ name }: Pick<Suggestion, 'name'>): string =>
  Object.hasOwn(themeText.colourNames, name.split(' ').at(-1) ?? '')
    ? capital(apiText(themeText.suggestedNames, name))
    : name;

export const descriptionOf = ({ description }: Pick<Suggestion, 'description'>): string =>
  apiText(themeText.descriptions, description);

export const reasoningOf = ({ reasoning }: Pick<Suggestion, 'reasoning'>): string =>
  apiSentences(themeText.reasoning, reasoning);

/** With a full stop, unless it has one. */
export const sentence = (what: string): string => (/[.!?…]$/.test(what) ? what : `${what}.`);
