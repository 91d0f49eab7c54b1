import type { Assistant } from '../../../../adapters/assistant/assistant.ts';
import type { Usage } from '../../../../adapters/assistant/question.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import type { SeenPage } from './by-assistant.ts';
import type { Draft } from './draft.ts';

const minThemes = 3;

/** What was suggested, and by whom. */
export interface SuggestedThemes {
  drafts: Draft[];
  /** Whether any of them is the AI provider's. */
  byAssistant: boolean;
  /** Why the AI provider was asked in vain; null where it answered, or there is none. */
  failure: string | null;
  /** What asking it took, one a question. */
  usage: Usage[];
}

interface Deps {
  assistant: Assistant;
  /** Whether the model is shown the screenshot. */
  showPictures(): Promise<boolean>;
}

/**
 * Suggests themes for a page: at least three, ordered, distinct. Asks the AI provider where there is one; whatever that does, there
 * are suggestions: those of the rules, whose `reasoning` says why.
 */
export function createThemeSuggestions({ assistant, showPictures }: Deps) {
  return async (page: SeenPage, signal: AbortSignal): Promise<SuggestedThemes> => {
    const usage: Usage[] = [];
    // Loaded when they are first needed: what knows of colours is large.
    const { suggestByRules } = await import('./by-rules.ts');
    const byRules = (failure: string | null, preface: string): SuggestedThemes => {
      return { drafts: suggestByRules(page.colours, preface), byAssistant: false, failure, usage };
    };
    try {
      const state = await assistant.state();
      if (state === 'none') return byRules(null, 'Made by built-in rules; no AI provider is set.');
      if (state !== 'ready') throw new AppError('ai_error', state.missing);
      const { suggestByAssistant } = await import('./by-assistant.ts');
      const screenshot = (await showPictures()) ? page.screenshot : undefined;
      const options = { onUsage: (one: Usage) => void usage.push(one), signal };
      const given = await suggestByAssistant(assistant, { ...page, screenshot }, options);
      if (given.length >= minThemes) return { drafts: given, byAssistant: true, failure: null, usage };
      const { drafts } = byRules(null, 'Made by built-in rules, in addition to those of the AI provider.');
      return { drafts: await enough([...given, ...drafts]), byAssistant: true, failure: null, usage };
    } catch (error) {
      signal.throwIfAborted();
      const reason = messageOf(error);
      return byRules(reason, `Made by built-in rules only. ${/[.!?]$/.test(reason) ? reason : `${reason}.`}`);
    }
  };
}

/** What differs, and a few of the rest where that leaves fewer than promised. */
async function enough(drafts: readonly Draft[]): Promise<Draft[]> {
  const { distinct } = await import('./draft.ts');
  const different = distinct(drafts);
  const rest = drafts.filter((one) => !different.includes(one));
  return [...different, ...rest.slice(0, Math.max(0, minThemes - different.length))];
}
