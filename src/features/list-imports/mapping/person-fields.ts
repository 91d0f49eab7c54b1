import type { Transform } from './transforms.ts';

/** Groups of person fields, in the order in which the dashboard offers them. */
export const fieldGroups = { name: 'Name', contact: 'Contact', address: 'Address', campaign: 'Campaign' } as const;

export interface PersonFieldEntry {
  /** What users call it; in a sentence its first letter is small. */
  label: string;
  group: keyof typeof fieldGroups;
  /** In characters. The specification sets no limits: these are the sample application's columns; e-mail: RFC 5321. */
  maxLength: number;
  /** The transform of a mapping that names none; `none` if left out. */
  transform?: Transform;
  /** An import needs a column for it. */
  required?: true;
}

/**
 * The catalogue of person fields, in the order of the specification ("Person") and of the columns sent to tenants. The API serves
 * it to the dashboard with a list's mappings.
 *
 * To add a field:
 * 1. add it here, and below the aliases that headers use for it;
 * 2. in `decisions/choose-person.ts`, add it to `chooseRest`, so that the rules suggest it;
 * 3. in `columns/agreement.ts`, say which values it can't have (optional).
 */
const catalogue = {
  first_name: { label: 'First name', group: 'name', maxLength: 100, transform: 'name_case', required: true },
  last_name: { label: 'Last name', group: 'name', maxLength: 100, transform: 'name_case', required: true },
  address1: { label: 'Street address', group: 'address', maxLength: 200 },
  address2: { label: 'Address line 2', group: 'address', maxLength: 200 },
  city: { label: 'City', group: 'address', maxLength: 100, transform: 'name_case' },
  state: { label: 'State', group: 'address', maxLength: 50, transform: 'state' },
  zip: { label: 'ZIP code', group: 'address', maxLength: 20, transform: 'zip' },
  county: { label: 'County', group: 'address', maxLength: 100 },
  congressional_district: {
    label: 'Congressional district',
    group: 'campaign',
    maxLength: 20,
    transform: 'district',
  },
  home_phone: { label: 'Home phone', group: 'contact', maxLength: 40, transform: 'phone' },
  cell_phone: { label: 'Cell phone', group: 'contact', maxLength: 40, transform: 'phone' },
  email: { label: 'E-mail address', group: 'contact', maxLength: 254, transform: 'email' },
  precinct: { label: 'Precinct', group: 'campaign', maxLength: 100 },
  precinct_number: { label: 'Precinct number', group: 'campaign', maxLength: 40 },
  precinct_status: { label: 'Precinct status', group: 'campaign', maxLength: 50 },
  precinct_role: { label: 'Precinct role', group: 'campaign', maxLength: 50 },
  notes: { label: 'Notes', group: 'campaign', maxLength: 10_000 },
  whip_status: { label: 'Support level', group: 'campaign', maxLength: 50 },
  // A hundred tags of a hundred characters, with commas.
  tags: { label: 'Tags', group: 'campaign', maxLength: 10_100 },
} as const satisfies Record<string, PersonFieldEntry>;

export type PersonField = keyof typeof catalogue;

export const personFieldEntries: Readonly<Record<PersonField, PersonFieldEntry>> = catalogue;
export const personFields = Object.keys(catalogue) as PersonField[];
export const requiredFields = personFields.filter((field) => personFieldEntries[field].required);

export const isPersonField = (target: string): target is PersonField => Object.hasOwn(catalogue, target);

/**
 * What a column may mean, the field that the meaning leads to, and its aliases: phrases in the vocabulary's words, in any order;
 * a number after a phrase is its certainty, 1 if left out. Several meanings lead to one field (a street's name and a whole address
 * line): which one is taken depends on the other columns. On a tie the earlier meaning wins.
 */
export const meanings = {
  first_name: {
    field: 'first_name',
    aliases:
      'first name; first; nombre pila; fname; fname name; given name 0.93; given 0.9; nombre; first given name; fname first; nombre first; full fname 0.7',
  },
  last_name: {
    field: 'last_name',
    aliases:
      'last name; last; lname; lname name; family name; apellido; apellido paterno; paterno; apellido first; last family name; nom 0.8; nom family; nom famille; fname nom 0.5; lname last; family lname; name family lname; last lname',
  },
  full_name: {
    field: 'first_name',
    aliases:
      'name; full name; display name; nombre full; name first last; nombre apellido; apellido nombre; first last; name full first last; fname lname; name first middle last; full 0.5',
  },
  address_line: {
    field: 'address1',
    aliases:
      'address; house address; building address 0.9; street 0.9; street address; address line; street line; address street line; add; address house street number; address label 0.6; st address; address full; full address; address location 0.5; address formatted 0.7; address complete; family address 0.8; po box 0.45',
  },
  address_unit: {
    field: 'address2',
    aliases:
      'secondary address; secondary; address extra line; address extra; unit; apartment; unit number; apartment number; apartment unit; apartment unit number; apartment address; address unit; address apartment number; box number 0.5; building number 0.8; building 0.8; building apartment; secondary unit; unit value',
  },
  street_name: {
    field: 'address1',
    aliases: 'street name; street 0.6; street name code; address street name; name street full; name rue',
  },
  street_part: {
    field: 'address1',
    aliases:
      'house number; street number; st number; address number; address number suffix; house number suffix; street number suffix; number half; house half; street half; st half; half; number house half; street number half; house suffix; pre direction; post direction; street direction; direction; direction suffix; direction prefix; street pre direction; street post direction; st pre direction; st post direction; st direction; street prefix; street suffix; st suffix; st prefix; street direction suffix; street direction prefix; street type; st type; street type code; street type code name; street suffix code; street designator; designator; street number prefix; house number prefix; street pre; street post; number civic; number building street; house number half; street code direction; add number; street pre type; street post type; street name prefix; street name suffix; street name pre direction; street name post direction; street name post type; house number full; number street half; half code; street number half code; house alpha',
  },
  unit_part: {
    field: 'address2',
    aliases:
      'unit type; apartment type; unit designator; apartment unit type; secondary unit designator; building type; apartment code; unit code; secondary unit type',
  },
  city: {
    field: 'city',
    aliases:
      'city; cty 0.6; cty name 0.6; town 0.95; city town; municipality 0.9; city name; town name 0.85; municipality name 0.85; locality 0.7; locality name 0.7; city desc; city code name; postal town; community 0.5; city locality; post town; city township; town village; town village city; town township; city village township; city township village; city municipality; name full city; town village city; city village',
  },
  state: {
    field: 'state',
    aliases:
      'state; province; state province; state code; state province region; state region 0.9; region 0.6; st; state name; province code; province name; state abbreviated; st code; st abbreviated; region code 0.5; region name 0.5; state province code; state province abbreviated; state county 0.5; state code abbreviated; state code name; county state province 0.5; province territory; dep region 0.9',
  },
  zip: {
    field: 'zip',
    aliases:
      'zip; zip code; code p 0.9; c postal 0.9; c p 0.9; zip plus; zip code plus; plus; postal code; post code; zip postal code; zip postal; postal 0.8; zip code zip; zip postal code postal; zip pc; zip code pc',
  },
  city_state_zip: {
    field: 'city',
    aliases:
      'city state zip; city state; cty state zip; cty state; city st zip; city st; city zip; city state zip code; city state postal code; city province postal code; city state province zip; city province zip; city st zip code; city town state zip',
  },
  county: {
    field: 'county',
    aliases:
      'county; cty 0.75; co 0.5; cty name 0.75; county registration; county name; county desc; county borough 0.9; name county',
  },
  county_code: {
    field: 'county',
    aliases:
      'county code; cty code; cty number; cty id; county number; county fips; county id; county fips code; county code number; fips county code; county abbreviated',
  },
  congressional_district: {
    field: 'congressional_district',
    aliases:
      'congress; congress district; us congress district; us congress; con district 0.85; congress district number; congress district code; congress code; congress district name; us district 0.85; us district name 0.85; us house; us house district; us representative; us representative district; cd; cd district; cd number; cd name; congress number; house us district; usc; usc district; congress seat; representative congress; us house representative; us house representative district; us house district number; us house district code; district house representative us; usrep; ushouse; congress district desc; district constituency congress',
  },
  phone: {
    field: 'cell_phone',
    aliases:
      'phone; phone number; number phone phone; phone contact number; phone contact; contact number 0.8; daytime phone; daytime phone number; phone full; area code phone number; phone area code number; phone area number; phone voter 0.9; daytime number 0.7; call number 0.6',
  },
  cell_phone: {
    field: 'cell_phone',
    aliases:
      'cell; cell phone; cell number; cell phone number; sms; sms number; sms phone; sms phone number; c phone; phone c; phone cell number sms; cell sms; c number 0.6; cell sms number; cell primary; cell phone area code number; number text 0.9; phone text 0.9; phone number text 0.9',
  },
  home_phone: {
    field: 'home_phone',
    aliases:
      'landline; land line; land line phone; land line number; landline phone; landline number; landline phone number; h phone; phone h; evening phone; evening phone number; h number 0.6; house phone; house phone number; family phone 0.8; family phone number 0.8',
  },
  email: {
    field: 'email',
    aliases:
      'email; email address; correo; correo electronico; correo e; address correo electronico; email correo; email number 0.5; e address 0.8; address electronico 0.9; email contact; email full; electronico 0.7; email correo electronico; email account 0.8; family email 0.7; address email name 0.7; email name 0.6',
  },
  precinct: { field: 'precinct', aliases: 'precinct' },
  precinct_name: {
    field: 'precinct',
    aliases:
      'precinct name; precinct desc; precinct description; precinct label; precinct name full; precinct code name; precinct title; precinct number name 0.8; precinct location 0.6; precinct name description; precinct county name; precinct county description; precinct county desc',
  },
  precinct_number: {
    field: 'precinct_number',
    aliases:
      'precinct number; precinct code; precinct id; precinct code number; precinct key; precinct abbreviated; precinct id number; precinct number full; precinct county code; precinct county number; precinct county 0.8; precinct county id; precinct district 0.8',
  },
  voting_district: {
    field: 'precinct_number',
    aliases:
      'polling district; election district; voting district; ed; election district number; polling number; polling; district polling code; precinct portion; precinct portion code; precinct portion name; precinct portion number; ward precinct; voting district number; vtd; polling division; voting division; ward district precinct; election precinct; voting precinct; vtd code; vtd name; polling district code; polling area; ed number; division number election',
  },
  precinct_status: {
    field: 'precinct_status',
    aliases:
      'precinct status; seat status; role status 0.8; pc status; precinct organized; captain status; precinct seat status; precinct vacancy; precinct committeeman status',
  },
  precinct_role: {
    field: 'precinct_role',
    aliases:
      'precinct role; role pc; pc title; pc position; captain 0.6; precinct position; precinct title role; role captain; precinct officer; precinct leader role; role 0.6; party role 0.6; party position 0.6; precinct committee role; precinct captain member 0.8; committee role 0.6; leadership role 0.6; precinct office 0.7',
  },
  notes: {
    field: 'notes',
    aliases:
      'notes; notes field; general notes; notes notes; notes follow up; additional notes; internal notes; notes question; notes text; staff notes; notes extra; canvass notes; call notes; canvasser notes; public notes; description 0.45; field notes; notes free form; other notes; notes description; special notes; notes or questions; notes instructions; notes personal',
  },
  whip_status: {
    field: 'whip_status',
    aliases:
      'whip; whip status; whip count; whip level; support; support level; support score; support status; support candidate; support level candidate; voting intention; intention; support id 0.8; support code 0.8; support rating; candidate support score; how likely support 0.6; level support question; id support level; support category 0.8; voting intention code; whip code; whip score; supporter type 0.5; party support 0.5; party support level 0.5; canvass support 0.9; support canvass level; assessment 0.7',
  },
  tags: {
    field: 'tags',
    aliases:
      'tags; tags list; tags csv; tags name; label 0.85; category 0.9; group 0.75; keywords 0.6; segments 0.7; tags tags; list name 0.4; activist code; activist code name; group name 0.6; group list; category tags; interest tags; code activist tags; user tags; hashtags; group participation 0.8; segments tags; tags label; phonebook 0.6; tags category; category name 0.6; category list; tags group',
  },
} as const satisfies Record<string, { field: PersonField; aliases: string }>;

export type Meaning = keyof typeof meanings;
