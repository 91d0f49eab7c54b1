import { eventInput } from '../shared/events.js';
import { personInput } from '../shared/persons/fields.js';
import { segmentInput } from '../shared/segments.js';
import { tagInput } from '../shared/tags.js';

/** What the body of a record looks like, by the plural of its kind. */
export const SCHEMAS = { persons: personInput, tags: tagInput, events: eventInput, segments: segmentInput };
