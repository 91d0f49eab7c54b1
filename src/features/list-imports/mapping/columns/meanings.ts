import type { PersonField } from '../field-mapping.ts';

/**
 * What a column may mean. Those of which several lead to the same field of a person (a street's name and a whole address line)
 * are kept apart here, since which one is taken depends on what else the list has.
 */
export type Meaning =
  | 'first_name'
  | 'last_name'
  | 'full_name'
  | 'address_line'
  | 'address_unit'
  | 'street_name'
  | 'street_part'
  | 'unit_part'
  | 'city'
  | 'state'
  | 'zip'
  | 'city_state_zip'
  | 'county'
  | 'county_code'
  | 'congressional_district'
  | 'phone'
  | 'cell_phone'
  | 'home_phone'
  | 'email'
  | 'precinct'
  | 'precinct_name'
  | 'precinct_number'
  | 'voting_district'
  | 'precinct_status'
  | 'precinct_role'
  | 'notes'
  | 'whip_status'
  | 'tags';

/**
 * Phrases in the vocabulary's form, their order free; after a phrase how surely it means it where that is less than sure.
 * A header means what a phrase says when they are the same words, once those are left out that say whose, which or where.
 */
const phrases: Record<Meaning, string> = {
  first_name:
    'first name; first; nombre pila; fname; fname name; given name 0.93; given 0.9; nombre; first given name; fname first; nombre first; full fname 0.7',
  last_name:
    'last name; last; lname; lname name; family name; apellido; apellido paterno; paterno; apellido first; last family name; nom 0.8; nom family; nom famille; fname nom 0.5; lname last; family lname; name family lname; last lname',
  full_name:
    'name; full name; display name; nombre full; name first last; nombre apellido; apellido nombre; first last; name full first last; fname lname; name first middle last; full 0.5',
  address_line:
    'address; house address; building address 0.9; street 0.9; street address; address line; street line; address street line; add; address house street number; address label 0.6; st address; address full; full address; address location 0.5; address formatted 0.7; address complete; family address 0.8; po box 0.45',
  address_unit:
    'secondary address; secondary; address extra line; address extra; unit; apartment; unit number; apartment number; apartment unit; apartment unit number; apartment address; address unit; address apartment number; box number 0.5; building number 0.8; building 0.8; building apartment; secondary unit; unit value',
  street_name: 'street name; street 0.6; street name code; address street name; name street full; name rue',
  street_part:
    'house number; street number; st number; address number; address number suffix; house number suffix; street number suffix; number half; house half; street half; st half; half; number house half; street number half; house suffix; pre direction; post direction; street direction; direction; direction suffix; direction prefix; street pre direction; street post direction; st pre direction; st post direction; st direction; street prefix; street suffix; st suffix; st prefix; street direction suffix; street direction prefix; street type; st type; street type code; street type code name; street suffix code; street designator; designator; street number prefix; house number prefix; street pre; street post; number civic; number building street; house number half; street code direction; add number; street pre type; street post type; street name prefix; street name suffix; street name pre direction; street name post direction; street name post type; house number full; number street half; half code; street number half code; house alpha',
  unit_part:
    'unit type; apartment type; unit designator; apartment unit type; secondary unit designator; building type; apartment code; unit code; secondary unit type',
  city: 'city; cty 0.6; cty name 0.6; town 0.95; city town; municipality 0.9; city name; town name 0.85; municipality name 0.85; locality 0.7; locality name 0.7; city desc; city code name; postal town; community 0.5; city locality; post town; city township; town village; town village city; town township; city village township; city township village; city municipality; name full city; town village city; city village',
  state:
    'state; province; state province; state code; state province region; state region 0.9; region 0.6; st; state name; province code; province name; state abbreviated; st code; st abbreviated; region code 0.5; region name 0.5; state province code; state province abbreviated; state county 0.5; state code abbreviated; state code name; county state province 0.5; province territory; dep region 0.9',
  zip: 'zip; zip code; code p 0.9; c postal 0.9; c p 0.9; zip plus; zip code plus; plus; postal code; post code; zip postal code; zip postal; postal 0.8; zip code zip; zip postal code postal; zip pc; zip code pc',
  city_state_zip:
    'city state zip; city state; cty state zip; cty state; city st zip; city st; city zip; city state zip code; city state postal code; city province postal code; city state province zip; city province zip; city st zip code; city town state zip',
  county:
    'county; cty 0.75; co 0.5; cty name 0.75; county registration; county name; county desc; county borough 0.9; name county',
  county_code:
    'county code; cty code; cty number; cty id; county number; county fips; county id; county fips code; county code number; fips county code; county abbreviated',
  congressional_district:
    'congress; congress district; us congress district; us congress; con district 0.85; congress district number; congress district code; congress code; congress district name; us district 0.85; us district name 0.85; us house; us house district; us representative; us representative district; cd; cd district; cd number; cd name; congress number; house us district; usc; usc district; congress seat; representative congress; us house representative; us house representative district; us house district number; us house district code; district house representative us; usrep; ushouse; congress district desc; district constituency congress',
  phone:
    'phone; phone number; number phone phone; phone contact number; phone contact; contact number 0.8; daytime phone; daytime phone number; phone full; area code phone number; phone area code number; phone area number; phone voter 0.9; daytime number 0.7; call number 0.6',
  cell_phone:
    'cell; cell phone; cell number; cell phone number; sms; sms number; sms phone; sms phone number; c phone; phone c; phone cell number sms; cell sms; c number 0.6; cell sms number; cell primary; cell phone area code number; number text 0.9; phone text 0.9; phone number text 0.9',
  home_phone:
    'landline; land line; land line phone; land line number; landline phone; landline number; landline phone number; h phone; phone h; evening phone; evening phone number; h number 0.6; house phone; house phone number; family phone 0.8; family phone number 0.8',
  email:
    'email; email address; correo; correo electronico; correo e; address correo electronico; email correo; email number 0.5; e address 0.8; address electronico 0.9; email contact; email full; electronico 0.7; email correo electronico; email account 0.8; family email 0.7; address email name 0.7; email name 0.6',
  precinct: 'precinct',
  precinct_name:
    'precinct name; precinct desc; precinct description; precinct label; precinct name full; precinct code name; precinct title; precinct number name 0.8; precinct location 0.6; precinct name description; precinct county name; precinct county description; precinct county desc',
  precinct_number:
    'precinct number; precinct code; precinct id; precinct code number; precinct key; precinct abbreviated; precinct id number; precinct number full; precinct county code; precinct county number; precinct county 0.8; precinct county id; precinct district 0.8',
  voting_district:
    'polling district; election district; voting district; ed; election district number; polling number; polling; district polling code; precinct portion; precinct portion code; precinct portion name; precinct portion number; ward precinct; voting district number; vtd; polling division; voting division; ward district precinct; election precinct; voting precinct; vtd code; vtd name; polling district code; polling area; ed number; division number election',
  precinct_status:
    'precinct status; seat status; role status 0.8; pc status; precinct organized; captain status; precinct seat status; precinct vacancy; precinct committeeman status',
  precinct_role:
    'precinct role; role pc; pc title; pc position; captain 0.6; precinct position; precinct title role; role captain; precinct officer; precinct leader role; role 0.6; party role 0.6; party position 0.6; precinct committee role; precinct captain member 0.8; committee role 0.6; leadership role 0.6; precinct office 0.7',
  notes:
    'notes; notes field; general notes; notes notes; notes follow up; additional notes; internal notes; notes question; notes text; staff notes; notes extra; canvass notes; call notes; canvasser notes; public notes; description 0.45; field notes; notes free form; other notes; notes description; special notes; notes or questions; notes instructions; notes personal',
  whip_status:
    'whip; whip status; whip count; whip level; support; support level; support score; support status; support candidate; support level candidate; voting intention; intention; support id 0.8; support code 0.8; support rating; candidate support score; how likely support 0.6; level support question; id support level; support category 0.8; voting intention code; whip code; whip score; supporter type 0.5; party support 0.5; party support level 0.5; canvass support 0.9; support canvass level; assessment 0.7',
  tags: 'tags; tags list; tags csv; tags name; label 0.85; category 0.9; group 0.75; keywords 0.6; segments 0.7; tags tags; list name 0.4; activist code; activist code name; group name 0.6; group list; category tags; interest tags; code activist tags; user tags; hashtags; group participation 0.8; segments tags; tags label; phonebook 0.6; tags category; category name 0.6; category list; tags group',
};

interface Phrase {
  meaning: Meaning;
  certainty: number;
  words: ReadonlySet<string>;
}

/** Words in their alphabet's order: phrases are compared by this. */
export const phraseKey = (words: Iterable<string>): string => [...new Set(words)].sort().join(' ');

const byKey = new Map<string, Phrase[]>();
for (const [meaning, list] of Object.entries(phrases) as [Meaning, string][]) {
  for (const entry of list.split('; ')) {
    const [, text = '', certainty = '1'] = /^(.*?)(?: (0\.\d+))?$/.exec(entry.trim()) ?? [];
    const words = new Set(text.split(' '));
    const key = phraseKey(words);
    byKey.set(key, [...(byKey.get(key) ?? []), { meaning, certainty: Number(certainty), words }]);
  }
}
const longestFirst = [...byKey.values()].flat().sort((a, b) => b.words.size - a.words.size);

/** Words that may stand beside a phrase and change nothing: "US Congressional District Code". */
const beside: [Meaning, ReadonlySet<string>][] = [
  [
    'congressional_district',
    new Set(
      'us district house representative code number name description abbreviated seat state jurisdiction'.split(' '),
    ),
  ],
  ['email', new Set(['address', 'account'])],
  ['phone', new Set(['full', 'contact', 'number'])],
  ['cell_phone', new Set(['number', 'phone', 'area', 'code'])],
  ['county', new Set(['name', 'description', 'address'])],
  ['city', new Set(['name', 'description', 'address', 'add', 'street'])],
  ['state', new Set(['name', 'abbreviated', 'address', 'add', 'street'])],
  ['zip', new Set(['address', 'add', 'street'])],
  ['address_unit', new Set(['address', 'add', 'street', 'line', 'number'])],
  ['unit_part', new Set(['address', 'add', 'street', 'code'])],
  ['street_part', new Set(['address', 'add', 'code'])],
  ['street_name', new Set(['address', 'add'])],
];

/** What these very words mean, the surest first. */
export function meaningsOf(words: readonly string[]): readonly { meaning: Meaning; certainty: number }[] {
  const exact = byKey.get(phraseKey(words));
  if (exact) return exact;
  for (const [meaning, optional] of beside) {
    const core = words.filter((word) => !optional.has(word));
    const found = core.length < words.length ? byKey.get(phraseKey(core)) : undefined;
    const same = found?.find((phrase) => phrase.meaning === meaning);
    if (same) return [{ meaning, certainty: same.certainty * 0.98 }];
  }
  return [];
}

/** The longest phrase of at least two words, or one that is plain by itself, among the words. */
export function phraseWithin(words: ReadonlySet<string>): Phrase | undefined {
  return longestFirst.find(
    (phrase) =>
      (phrase.words.size > 1 || plainAlone.has([...phrase.words][0] ?? '')) &&
      [...phrase.words].every((word) => words.has(word)),
  );
}

/** Words that leave little doubt wherever they stand; "first", "home" or "state" may be part of anything. */
const plainAlone = new Set(
  'email correo cell phone zip county precinct notes tags whip congress city fname lname apellido landline'.split(' '),
);

/** The field of a person that a meaning leads to. */
export function fieldOf(meaning: Meaning): PersonField {
  switch (meaning) {
    case 'full_name':
      return 'first_name';
    case 'address_line':
    case 'street_name':
    case 'street_part':
      return 'address1';
    case 'address_unit':
    case 'unit_part':
      return 'address2';
    case 'city_state_zip':
      return 'city';
    case 'county_code':
      return 'county';
    case 'phone':
      return 'cell_phone';
    case 'precinct_name':
      return 'precinct';
    case 'voting_district':
      return 'precinct_number';
    default:
      return meaning;
  }
}
