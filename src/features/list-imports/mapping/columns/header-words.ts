import type { Meaning } from '../person-fields.ts';

/** Whose or which of several a column says to be; for addresses in the order in which they are preferred. */
export type Place = 'residence' | 'plain' | 'mailing' | 'billing' | 'work' | 'other';

export const places = new Map<string, Place>(
  Object.entries({
    residence: 'residence',
    home: 'residence',
    legal: 'residence',
    mailing: 'mailing',
    billing: 'billing',
    buyer: 'billing',
    shipping: 'billing',
    work: 'work',
    other: 'other',
    temporary: 'other',
  } satisfies Record<string, Place>),
);

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words for the list's person. */
export const subjects = wordSet(
  'voter contact person member donor attendee customer subscriber lead constituent user volunteer signup employee applicant guest patron respondent signer',
);
/** Words that say nothing at all. */
export const fillerWords = wordSet(
  'value desc of the or and your what please to reach you enter current for in from is at primary preferred formatted use print information standard',
);
/** Of a person's several addresses the primary one is as good as the residence. */
export const addressMeanings: ReadonlySet<Meaning> = new Set([
  'address_line',
  'address_unit',
  'city',
  'state',
  'zip',
  'county',
]);
/** Said in questions: "What city do you live in?" */
export const questionWords = wordSet('do live');
/** Somebody or something else than the list's person. */
export const thirdParties = wordSet(
  'spouse emergency parent father mother children landlord manager assistant organizer recipient agent caller tenant physician coowner event location owner previous household account campaign maiden phonetic form page ticket custom order van converted school supervisor moved',
);
/** Of these, what a remark in brackets says to be somebody else's or no longer true: "Phone (spouse)", "Email (old)". */
export const thirdPartyRemarks = wordSet('spouse emergency parent father mother children manager assistant previous');
/** Of these, who writes notes about the list's person. */
export const noteWriters = wordSet('agent caller organizer account captain');
/** Who may be the one that a list is about: a school's parents, a firm's representatives. */
export const possibleSubjects = wordSet(
  'parent father mother children recipient account tenant captain representative caller ticket order',
);
/** Of these, what has a name of its own: it is somebody where it has a first and a last one. */
export const namedThings = wordSet('ticket order');
/** What is said about something, not the thing: an e-mail's status, a phone's type. */
export const attributeWords = wordSet(
  'id guid date time status opt flag reason method history source count confidence created updated deleted is has was not do label url photo ip by on at year month type area code kind confirmed inferred former version required accuracy carrier route ext fax pager fips latitude longitude geoid census number',
);

/** Said of people, not of districts that are called after them. */
export const personalWords = wordSet('name first last email phone cell');
/** Said of what a question asks for. */
export const fieldWords = wordSet(
  'name first last address street city town state zip county phone cell number text email',
);
/** Never shown, and never kept. */
export const secretWords = wordSet('password hash');
