import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  view: 'Which logs',
  views: { live: 'Live logs', kept: 'Kept logs' },
  search: 'Search kept logs',
  ages: {
    '': 'Any time',
    60: 'Last hour',
    1440: 'Last 24 hours',
    10080: 'Last 7 days',
    43200: 'Last 30 days',
    between: 'Custom range…',
  },
  from: 'From',
  to: 'To',
  generation: 'Generation',
  allGenerations: 'All generations',
  generationName: (service: string, commit: string, from: string, to: string | undefined) =>
    to === undefined ? `${service} ${commit}, since ${from}` : `${service} ${commit}, ${from} to ${to}`,
  list: 'Lines found',
  found: (count: number, more: boolean) =>
    `${format('{count, plural, one {# line} other {# lines}}', { count })}${more ? ' so far' : ''}`,
  searching: 'Searching…',
  more: 'Show earlier lines',
  searchedTo: (time: string) => `Searched back to ${time}.`,
  nothingTitle: 'No matching lines',
  nothingHint: 'No kept line matches. Try another text, or search all levels and times.',
  emptyTitle: 'No lines are kept yet',
  emptyHint: 'Lines are kept within a minute after they were written.',
  around: 'Lines around',
  aroundTitle: 'Lines around the linked line',
  back: 'Back to the search',
  gone: 'The linked line is not kept any more.',
  ended: {
    running: 'Runs.',
    stopped: 'Stopped.',
    failed: 'Failed.',
    replaced: 'Replaced by a later one.',
  },
  endedBecause: (end: string, reason: string) => `${end} Last failure: ${reason}`,
};

export const keptText = translated({ en, es });
