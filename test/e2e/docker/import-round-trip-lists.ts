import { utils, type WorkBook, write } from 'xlsx';
import type { Transform } from '../../../src/features/list-imports/mapping/transforms.ts';

/** A person as the tenant must have it; fields that are not named must be empty. */
export interface ExpectedPerson {
  [field: string]: string | string[] | Record<string, string> | undefined;
  tags?: string[];
  custom_fields?: Record<string, string>;
}

/** A difficult list, its column mappings, and the expected people in the tenant. */
export interface RoundTrip {
  name: string;
  file: string;
  content: Uint8Array<ArrayBuffer>;
  /** Header → target; a pair also names a transform. Others are skipped. */
  mappings: Record<string, string | [string, Transform]>;
  persons: ExpectedPerson[];
  /** Rejected data rows. */
  rejected?: number[];
}

const bytes = (content: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(typeof content === 'string' ? Buffer.from(content) : content);
const lines = (...all: string[]): string => all.join('\r\n');
const book = (sheets: Record<string, unknown[][]>, kind: 'xlsx' | 'biff8' | 'ods'): Uint8Array<ArrayBuffer> => {
  const workbook: WorkBook = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    utils.book_append_sheet(workbook, utils.aoa_to_sheet(rows, { cellDates: true }), name);
  }
  return bytes(write(workbook, { type: 'buffer', bookType: kind }) as Buffer);
};

const names = { First: 'first_name', Last: 'last_name' } as const;

/** The upper half of Windows-1252 that is used below. */
const windows1252: Record<string, number> = {
  '€': 0x80,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  é: 0xe9,
  ñ: 0xf1,
  ü: 0xfc,
  Å: 0xc5,
};
const inWindows1252 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => windows1252[character] ?? character.charCodeAt(0));

const workbookRows = (): unknown[][] => [
  ['County committee'],
  [],
  ['First', 'Last', 'Zip', 'State', 'Mobile', 'Joined', 'Paid', 'Amount', 'Remarks'],
  ['Ann', 'Lee', 2139, 'MA', 3125550107, new Date(Date.UTC(2026, 2, 4)), true, 12.5, 'line one\nline two'],
  ['José', 'NÚÑEZ', '02139', 'Massachusetts', '312.555.0108', '', false, '', '=SUM(A1)'],
  ['', '', '', '', '', '', '', '', 'no name'],
];
const workbookMappings: RoundTrip['mappings'] = {
  ...names,
  Zip: 'zip',
  State: 'state',
  Mobile: 'cell_phone',
  Joined: ['custom_fields.joined', 'date'],
  Amount: 'custom_fields.amount',
  Remarks: 'notes',
};
const workbookPersons: ExpectedPerson[] = [
  {
    first_name: 'Ann',
    last_name: 'Lee',
    zip: '02139',
    state: 'MA',
    cell_phone: '+13125550107',
    notes: 'line one\nline two',
    custom_fields: { joined: '2026-03-04', amount: '12.5' },
  },
  { first_name: 'José', last_name: 'Núñez', zip: '02139', state: 'MA', cell_phone: '+13125550108', notes: '=SUM(A1)' },
];

const texts: RoundTrip[] = [
  {
    name: 'quotes, newlines and commas in cells, letters of many scripts, a byte order mark',
    file: 'hard.csv',
    content: bytes(
      `\ufeff${lines(
        'First,Last,Remarks,Street',
        'Zoë,O’Brien,"says ""hi"", then',
        'leaves",1 Main St',
        '李,小龍,"🗳️ voter, since 1990",',
        'Anna-Lena,Müller-Ångström,  spaces around  ,"Flat 2, ""The Mews"""',
      )}`,
    ),
    mappings: { ...names, Remarks: 'notes', Street: 'address1' },
    persons: [
      { first_name: 'Zoë', last_name: 'O’Brien', notes: 'says "hi", then\r\nleaves', address1: '1 Main St' },
      { first_name: '李', last_name: '小龍', notes: '🗳️ voter, since 1990' },
      { first_name: 'Anna-Lena', last_name: 'Müller-Ångström', notes: 'spaces around', address1: 'Flat 2, "The Mews"' },
    ],
  },
  {
    name: 'Windows-1252 with semicolons',
    file: 'old.csv',
    content: inWindows1252(lines('First;Last;Pledge;Remarks', 'José;Nuñez;€5;“soon”', 'Zoe;O’Brien;€10;café', '')),
    mappings: { ...names, Pledge: 'custom_fields.pledge', Remarks: 'notes' },
    persons: [
      { first_name: 'José', last_name: 'Nuñez', notes: '“soon”', custom_fields: { pledge: '€5' } },
      { first_name: 'Zoe', last_name: 'O’Brien', notes: 'café', custom_fields: { pledge: '€10' } },
    ],
  },
  {
    name: 'UTF-16 with tabs',
    file: 'unicode.txt',
    content: bytes(Buffer.from(`\ufeff${lines('First\tLast\tCity', 'Łukasz\tŻak\tChicago', 'Ann\tLee\t')}`, 'utf16le')),
    mappings: { ...names, City: 'city' },
    persons: [
      { first_name: 'Łukasz', last_name: 'Żak', city: 'Chicago' },
      { first_name: 'Ann', last_name: 'Lee' },
    ],
  },
  {
    name: 'big-endian UTF-16',
    file: 'unicode-be.csv',
    content: bytes(Buffer.from(`\ufeff${lines('First,Last', 'Łukasz,Żak', 'Ann,Lee')}`, 'utf16le').swap16()),
    mappings: names,
    persons: [
      { first_name: 'Łukasz', last_name: 'Żak' },
      { first_name: 'Ann', last_name: 'Lee' },
    ],
  },
  {
    name: 'bars, title rows, blank rows, short rows',
    file: 'roster.csv',
    content: bytes(
      lines(
        'Precinct captains|||',
        'Printed 3 November 2026|||',
        '|||',
        'First|Last|Email|City',
        'Ann|Lee',
        '',
        '|||',
        'Bob|Ray|bob@example.org|Cairo|',
        '',
      ),
    ),
    mappings: { ...names, Email: 'email', City: 'city' },
    persons: [
      { first_name: 'Ann', last_name: 'Lee' },
      { first_name: 'Bob', last_name: 'Ray', email: 'bob@example.org', city: 'Cairo' },
    ],
  },
  {
    name: 'duplicate and empty headers',
    file: 'twice.csv',
    content: bytes(
      lines('First,Last,Phone,Phone,,', 'Ann,Lee,312-555-0107,312-555-0108,secret,', 'Bob,Ray,,312-555-0109,,'),
    ),
    mappings: { ...names, Phone: 'home_phone', 'Phone (2)': 'cell_phone', 'Column E': 'custom_fields.fifth' },
    persons: [
      {
        first_name: 'Ann',
        last_name: 'Lee',
        home_phone: '+13125550107',
        cell_phone: '+13125550108',
        custom_fields: { fifth: 'secret' },
      },
      { first_name: 'Bob', last_name: 'Ray', cell_phone: '+13125550109' },
    ],
  },
  {
    name: 'no header row',
    file: 'bare.csv',
    content: bytes(
      lines(
        'Ann,Lee,ann@example.org,312-555-0107,62701',
        'Bob,Ray,bob@example.org,312-555-0108,62702',
        'Cal,Poe,cal@example.org,312-555-0109,62703',
      ),
    ),
    mappings: {
      'Column A': 'first_name',
      'Column B': 'last_name',
      'Column C': 'email',
      'Column D': 'cell_phone',
      'Column E': 'zip',
    },
    persons: [
      { first_name: 'Ann', last_name: 'Lee', email: 'ann@example.org', cell_phone: '+13125550107', zip: '62701' },
      { first_name: 'Bob', last_name: 'Ray', email: 'bob@example.org', cell_phone: '+13125550108', zip: '62702' },
      { first_name: 'Cal', last_name: 'Poe', email: 'cal@example.org', cell_phone: '+13125550109', zip: '62703' },
    ],
  },
];

const values: RoundTrip[] = [
  {
    name: 'whole names and places, and rows that are rejected',
    file: 'combined.csv',
    content: bytes(
      lines(
        'Full Name,Where,Phone',
        '"LEE, ANN M.","SPRINGFIELD, IL 62701",(312) 555-0107',
        'Cher,Chicago,',
        'John & Mary Smith,"Boston, Mass. 2139",312-555-0108 / 312-555-0109',
        'Dr. Maria de la Cruz Jr.,"New York, NY",ask her',
        ',,312-555-0110',
      ),
    ),
    mappings: { 'Full Name': ['first_name', 'full_name'], Where: ['city', 'city_state_zip'], Phone: 'home_phone' },
    rejected: [2, 5],
    persons: [
      {
        first_name: 'Ann',
        last_name: 'Lee',
        city: 'Springfield',
        state: 'IL',
        zip: '62701',
        home_phone: '+13125550107',
        custom_fields: { middle_name: 'M.' },
      },
      {
        first_name: 'John & Mary',
        last_name: 'Smith',
        city: 'Boston',
        state: 'MA',
        zip: '02139',
        home_phone: '+13125550108',
        cell_phone: '+13125550109',
      },
      {
        first_name: 'Maria',
        last_name: 'de la Cruz',
        city: 'New York',
        state: 'NY',
        custom_fields: { name_prefix: 'Dr.', name_suffix: 'Jr.', unclear_values: 'home_phone: ask her' },
      },
    ],
  },
  {
    name: 'every field, in need of its normalisation',
    file: 'voters.csv',
    content: bytes(
      lines(
        'FIRST,LAST,ADDR,UNIT,TOWN,ST,ZIP,COUNTY,CD,HOME,CELL,MAIL,PCT,PCT NO,PCT STATUS,ROLE,NOTES,SUPPORT,TAGS,PARTY',
        'MARY,MCDONALD,12 N MAIN ST,APT 4,CAIRO,Ill.,62914-1234,Alexander,12,618.555.0107 x9,1-618-555-0108,<Mary@Example.ORG>,Cairo 1,07,Filled,Captain,"likes\nsigns",Strong Yes,volunteer; donor|Volunteer,D',
        "bob,d'angelo,,,,Puerto Rico,901,,At Large,555-0107,,bob@,,,,,,,,",
        'Sam,Ray,,,,Atlantis,123,,77,n/a,,none,,,,,,,,',
      ),
    ),
    mappings: {
      FIRST: 'first_name',
      LAST: 'last_name',
      ADDR: 'address1',
      UNIT: 'address2',
      TOWN: 'city',
      ST: 'state',
      ZIP: 'zip',
      COUNTY: 'county',
      CD: 'congressional_district',
      HOME: 'home_phone',
      CELL: 'cell_phone',
      MAIL: 'email',
      PCT: 'precinct',
      'PCT NO': 'precinct_number',
      'PCT STATUS': 'precinct_status',
      ROLE: 'precinct_role',
      NOTES: 'notes',
      SUPPORT: 'whip_status',
      TAGS: 'tags',
      PARTY: 'custom_fields.party',
    },
    persons: [
      {
        first_name: 'Mary',
        last_name: 'McDonald',
        address1: '12 N MAIN ST',
        address2: 'APT 4',
        city: 'Cairo',
        state: 'IL',
        zip: '62914-1234',
        county: 'Alexander',
        congressional_district: 'IL-12',
        home_phone: '+16185550107 ext. 9',
        cell_phone: '+16185550108',
        email: 'mary@example.org',
        precinct: 'Cairo 1',
        precinct_number: '07',
        precinct_status: 'Filled',
        precinct_role: 'Captain',
        notes: 'likes\nsigns',
        whip_status: 'Strong Yes',
        tags: ['volunteer', 'donor'],
        custom_fields: { party: 'D' },
      },
      {
        first_name: 'Bob',
        last_name: "D'Angelo",
        state: 'PR',
        zip: '00901',
        congressional_district: 'PR-00',
        custom_fields: { unclear_values: 'email: bob@; home_phone: 555-0107' },
      },
      {
        first_name: 'Sam',
        last_name: 'Ray',
        custom_fields: { unclear_values: 'state: Atlantis; zip: 123; congressional_district: 77' },
      },
    ],
  },
  {
    name: 'normalisation switched off, and columns joined',
    file: 'as-it-is.csv',
    content: bytes(
      lines(
        'First,Last,No,Street,Mobile,Zip,State',
        'ANN,LEE,12,Main St,312 555 0107,2139,Mass.',
        'BOB,RAY,,Oak Ave,,,',
      ),
    ),
    mappings: {
      First: ['first_name', 'none'],
      Last: ['last_name', 'none'],
      No: ['address1', 'join'],
      Street: ['address1', 'join'],
      Mobile: ['cell_phone', 'none'],
      Zip: ['zip', 'none'],
      State: ['state', 'none'],
    },
    persons: [
      {
        first_name: 'ANN',
        last_name: 'LEE',
        address1: '12 Main St',
        cell_phone: '312 555 0107',
        zip: '2139',
        state: 'Mass.',
      },
      { first_name: 'BOB', last_name: 'RAY', address1: 'Oak Ave' },
    ],
  },
  {
    name: 'rows with too many cells, unexpected quotes, long texts',
    file: 'broken.csv',
    content: bytes(
      lines(
        'First,Last,Email,Remarks',
        'Ann,Lee,ann@example.org,fine,surplus',
        'Lee, Jr,Ann,ann2@example.org,slipped',
        'Bob,Ray,bob@example.org,6" tall',
        'Dan,Roe,dan@example.org,',
        'Eve,Coe,eve@example.org,',
        `Cal,Poe,,${'long '.repeat(1_900)}end`,
      ),
    ),
    mappings: { ...names, Email: 'email', Remarks: 'notes' },
    rejected: [2],
    persons: [
      {
        first_name: 'Ann',
        last_name: 'Lee',
        email: 'ann@example.org',
        notes: 'fine',
        custom_fields: { unclear_values: 'more: surplus' },
      },
      { first_name: 'Bob', last_name: 'Ray', email: 'bob@example.org', notes: '6" tall' },
      { first_name: 'Dan', last_name: 'Roe', email: 'dan@example.org' },
      { first_name: 'Eve', last_name: 'Coe', email: 'eve@example.org' },
      { first_name: 'Cal', last_name: 'Poe', notes: `${'long '.repeat(1_900)}end` },
    ],
  },
];

const workbooks: RoundTrip[] = (['xlsx', 'biff8', 'ods'] as const).map((kind) => ({
  name: `a workbook, ${kind}, its first sheet empty`,
  file: `book.${kind === 'biff8' ? 'xls' : kind}`,
  content: book({ Cover: [], People: workbookRows() }, kind),
  mappings: workbookMappings,
  rejected: [3],
  persons: workbookPersons,
}));

export const roundTrips: RoundTrip[] = [...texts, ...values, ...workbooks];
