import { plainText } from '../../../components/log/plain-text.ts';
import { type ApiTexts, apiText } from '../../../lib/api-text.ts';
import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  label: 'Diagnosis',
  evidence: { certain: 'Evidence', likely: 'Evidence (likely cause)', unknown: 'What was found' },
  unknown: {
    title: 'The cause is not known',
    remedy: 'Look for errors in the log, and for changes in the hour before.',
  },
  fix: 'What to do',
  actions: {
    start: 'Start',
    restart: 'Restart…',
    redeploy: 'Deploy…',
    rollback: 'Deploy another version…',
    repair_site: 'Repair the site…',
  },
  toPage: 'Open the page',
  scopes: {
    version: (name: string) => `All tenants of ${name} have such a problem.`,
  },
  /** Parts of a failed check's error, for `apiText`; in English, too. */
  checkParts: {
    '{1}; {2}': '{1}; {2}',
    'frontend: {1}': 'Site: {1}',
    'backend: {1}': 'API: {1}',
    'database: {1}': 'Database: {1}',
    'services: {1}': 'Services: {1}',
    'proxy: {1}': 'Reverse proxy: {1}',
    'synthetic: {1}': 'User steps: {1}',
    'certificate: {1}': 'Certificate: {1}',
    '/{1}: {2}': '/{1}: {2}',
    'no answer within {1}000 ms': 'no answer within {1} s',
  } as ApiTexts,
  /** Errors of checks, for `apiText`. */
  checks: {} as ApiTexts,
  /** The manager's words, for `apiText`. */
  texts: {} as ApiTexts,
};

export const diagnosisText = translated({ en, es });

const { checkParts, checks, texts } = diagnosisText;
/** Why something is not well, as the manager puts it, in the user's language. `more` are further texts it may have. */
export const causeText = (text: string, more: ApiTexts = {}): string =>
  apiText({ ...more, ...checkParts, ...checks, ...texts }, plainText(text));

/** What to do about a failure, as a sentence. The API gives it without its full stop, which some of the texts have. */
export function remedyText(text: string): string {
  const [sentence, own] = [`${text}.`, causeText(`${text}.`)];
  return own === sentence ? `${causeText(text)}.` : own;
}
