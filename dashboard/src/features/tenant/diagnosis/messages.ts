import type { ApiTexts } from '../../../lib/api-text.ts';
import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  label: 'Diagnosis',
  evidence: { certain: 'Evidence', likely: 'Evidence (likely cause)' },
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
  /** The manager's words, for `apiText`. */
  texts: {} as ApiTexts,
};

export const diagnosisText = translated({ en, es });
