import { describe, expect, test } from '@jest/globals';
import { mapByRules } from '../../../../src/features/list-imports/mapping/by-rules.ts';
import { isMappingTarget } from '../../../../src/features/list-imports/mapping/field-mapping.ts';

/** Columns as `header: cells`; returns `header: target`, with the transform. */
async function mapped(columns: Record<string, string[]>): Promise<Record<string, string>> {
  const headers = Object.keys(columns);
  const cells = Object.values(columns);
  const sampleRows = Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, row) =>
    cells.map((column) => column[row] ?? ''),
  );
  const mappings = await mapByRules({ headers, sampleRows, hasHeader: true });
  return Object.fromEntries(
    mappings.map(({ source, target, transform }) => [source, transform ? `${target} ${transform}` : target]),
  );
}

/**
 * Lists, and what becomes of their columns: a name, then `header → target: cells` a column; `--` begins another list. `custom` is the custom
 * field that is named after the header.
 */
const lists = `
prefers residence to mailing in any order
  Mailing Address → custom: PO Box 5 | PO Box 7
  Mailing City → custom: Codorus | Coal Run
  Mailing Zip → custom: 17499 | 18599
  Res Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  Res City → city: York Gap | Pine Run
  Res Zip → zip: 17498 | 18598

uses mailing if it is the only address
  Mailing Street → address1: 27 N Copperline St | 411 Old Ferry Rd
  Mailing City → city: Codorus
  Mailing State → state: PA

"Mail" and "Mail Address" are e-mail if the values are, else an address
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  mail → email: ann.lee@example.org | bob@example.org
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Mail Address → email: ann.lee@example.org | bob@example.org
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Mail Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Mail → custom: ann.lee@example.org | bob@example.org
  Email → email: ann.lee@example.org | bob@example.org

"Home" without values is the home phone, or nothing; with streets it is the address
  Home → home_phone
  --
  Home Phone → home_phone: 312-555-0142
  Home → custom
  --
  Home → address1: 27 N Copperline St | 411 Old Ferry Rd

skips columns that Tenantry added to a list of rejected rows
  row → skip: 4 | 6
  file_row → skip: 5 | 7
  reasons → skip: First: The first name is missing |
  First → first_name: Ann | Bob
  Last → last_name: Lee | Ray
  --
  First → first_name: Ann
  Last → last_name: Lee
  reasons → custom: War

recognizes each of the contract’s aliases alone
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Phone 2 → home_phone: 406-555-0101 | 406-555-0102
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Home → home_phone: 406-555-0101 | 406-555-0102
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Cty → county: Kent | Otero
  --
  First Name → first_name: Ann | Bob
  Last Name → last_name: Lee | Ray
  Cty → city: Kent | York
  ST → state: WA | PA

uses mailing if residence is empty
  Home Street → custom
  Home City → custom
  Mailing Street → address1: 27 N Copperline St | 411 Old Ferry Rd
  Mailing City → city: Codorus

prefers a full line to its parts
  HOUSE_NUM → custom: 27 | 411
  STREET_NAME → custom: Copperline | Old Ferry
  RES_ADDRESS → address1: 27 N Copperline St | 411 Old Ferry Rd

joins parts without a line, also units
  StreetNum → address1 join: 27 | 411
  StreetDir → address1 join: N |
  StreetName → address1 join: Copperline | Old Ferry
  StreetType → address1 join: St | Rd
  UnitType → address2 join: Apt |
  UnitNumber → address2 join: 4B |

mobile is the cell phone; a plain phone is cell, or home if there is a mobile one; a work phone is neither
  Phone → cell_phone: 414-555-0118 | 360-555-0125
  --
  Phone → home_phone: 414-555-0118 | 360-555-0125
  Mobile → cell_phone: 414-555-0118 | 360-555-0125
  --
  Home Phone → home_phone: 414-555-0118 | 360-555-0125
  Cell → cell_phone: 414-555-0118 | 360-555-0125
  Work Phone → custom: 414-555-0118 | 360-555-0125
  Phone 2 → custom: 414-555-0118 | 360-555-0125
  --
  Phone → cell_phone: 414-555-0118 | 360-555-0125
  Phone 2 → home_phone: 414-555-0118 | 360-555-0125

the type of a phone may be in an adjacent column
  Phone 1 - Type → custom: Home | Home
  Phone 1 - Value → home_phone: 414-555-0118 | 360-555-0125
  Phone 2 - Type → custom: Mobile | Mobile
  Phone 2 - Value → cell_phone: 414-555-0119 | 360-555-0126

a phone type column may say that the value is an e-mail address
  CnPh_1_01_Phone_type → custom_fields.cn_ph_1_01_phone_type: Home | Home
  CnPh_1_01_Phone_number → home_phone: 414-555-0118 | 360-555-0125
  CnPh_1_02_Phone_type → custom_fields.cn_ph_1_02_phone_type: Email | Email
  CnPh_1_02_Phone_number → email: a@example.org | b@example.org

uses the person with the most columns of two in each row
  User First Name → custom: Dana | Dana
  User Last Name → custom: Whitlock | Whitlock
  User Email → custom: dana@example.org | dana@example.org
  Contact First Name → first_name: Deshawn | Priya
  Contact Last Name → last_name: Okafor | Vandersloot
  Contact Email → email: d@example.org | p@example.org
  Contact Address → address1: 27 N Copperline St | 411 Old Ferry Rd

uses a parent if no other person is named; never a second one
  Student First Name → custom: Nora | Eli
  Student Last Name → custom: Okafor | Tranvale
  Parent 1 First Name → first_name: Deshawn | Hieu
  Parent 1 Last Name → last_name: Okafor | Tranvale
  Parent 1 Email → email: d@example.org | h@example.org
  Parent 2 First Name → custom: Ann |
  Emergency Contact Phone → custom: 414-555-0118 |
  --
  Student First Name → custom: Nora | Eli
  Student Last Name → custom: Okafor | Tranvale
  Parent 1 First Name → custom: Deshawn | Hieu
  Parent 1 Last Name → custom: Okafor | Tranvale
  Parent 1 Email → custom: d@example.org | h@example.org
  Parent 2 First Name → custom: Ann |
  Emergency Contact Phone → custom: 414-555-0118 |
  First Name → first_name: Otis
  Last Name → last_name: Underhill

uses the captain on a roster of captains, but not on a list of voters
  Precinct → precinct: Pine Hollow 2 | Star City East
  Captain Name → first_name full_name: Deshawn Okafor | Priya Vandersloot
  Captain Email → email: d@example.org | p@example.org
  Captain Status → precinct_status: Filled | Vacant
  --
  Precinct → precinct: Pine Hollow 2 | Star City East
  Captain Name → custom: Deshawn Okafor | Priya Vandersloot
  Captain Email → custom: d@example.org | p@example.org
  Captain Status → precinct_status: Filled | Vacant
  Voter Name → first_name full_name: Otis Underhill | Ana Ruiz

uses the head of a household, not the spouse
  Head of Household First Name → first_name: Deshawn
  HoH Last Name → last_name: Okafor
  Spouse First Name → custom: Ann

"ad" before an address part is an address, alone it is not
  ad_num → address1 join: 27 | 411
  ad_str1 → address1 join: Copperline St | Old Ferry Rd
  AD → custom: 14 | 18
  --
  AD → custom

distinguishes addresses by a prefix of two letters
  Details (MA) → custom: PO Box 5 | PO Box 7
  City (MA) → custom: Codorus | Coal Run
  Details (RA) → address1: 27 N Copperline St | 411 Old Ferry Rd
  City (RA) → city: York Gap | Pine Run

uses the city of the same address as the street
  Reg Town → custom: Bangor
  St Num → address1 join: 12
  St Name → address1 join: Elm St
  City → city: Hampden

prefers parts to an empty line
  House Number → address1 join: 27 | 411
  Street Name → address1 join: Copperline St | Old Ferry Rd
  Address → custom

numbered repetitions are another address
  Street → address1: 27 N Copperline St | 411 Old Ferry Rd
  Unit → address2: Apt 2 |
  City → city: Bangor
  Street.1 → custom: 27 N Copperline St | 411 Old Ferry Rd
  Unit.1 → custom:  | 7
  --
  Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  Address (2) → custom: 27 N Copperline St | 411 Old Ferry Rd

"Home" is a phone if there is no other, but not next to "Home Phone"
  Home → home_phone: 414-555-0118 | 360-555-0125
  --
  Home → custom
  Home Phone → home_phone: 414-555-0118 | 360-555-0125
  Street → address1: 27 N Copperline St | 411 Old Ferry Rd

prefers a full name under the word for the person to apparent given names
  Person → first_name full_name: Deshawn Okafor | Priya Vandersloot
  Point person → custom: Linda | Mary

ignores the name of something unknown, but uses the holder’s of an account
  Program Name → custom: Spring Soccer | Autumn Choir
  Account First Name → first_name: Deshawn | Priya
  Account Last Name → last_name: Okafor | Vandersloot

reads qualifiers in brackets, as form builders write them
  Name (Prefix) → custom:  | Dr.
  Name (First) → first_name: Deshawn | Priya
  Name (Last) → last_name: Okafor | Vandersloot
  Address (Street Address) → address1: 27 N Copperline St | 411 Old Ferry Rd
  Address (Address Line 2) → address2: Apt 4B |
  Address (City) → city: Lakeview | Harbor Point
  Address (ZIP / Postal Code) → zip: 53299 | 98299
  Phone (for texts) → cell_phone: 414-555-0118 | 360-555-0125

prefers a column with values to an empty one
  Email Address → custom
  First Name → custom
  Last Name → custom
  Contact Information - Name → first_name full_name: Deshawn Okafor | Priya Vandersloot
  Contact Information - Email → email: d@example.org | p@example.org

uses the tenant of a building, not the landlord; the father or tutor named first, not the mother
  Bldg Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  Tenant First → first_name: Ana
  Tenant Phone → cell_phone: 414-555-0118
  Landlord Name → custom: Otis Hill
  Landlord Phone → custom: 414-555-0190
  --
  Alumno → custom: Mateo Ruiz | Nora Mena
  Nombre del padre o tutor → first_name: Hugo | Luis
  Celular del padre o tutor → cell_phone: 414-555-0118 | 360-555-0125
  Correo del padre o tutor → email: h@example.org | l@example.org
  Nombre de la madre → custom: Ana | Eva
  Celular de la madre → custom: 414-555-0119 | 360-555-0126

the unit next to a mailing address belongs to it
  Mailing Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  Apt → address2: 4B |

a house number in RES_HOUSE is part of the street
  RES_HOUSE → address1 join: 27 | 411
  RES STREET → address1 join: Copperline St | Old Ferry Rd
  --
  House → custom: 57 | 12
  Street → address1: 27 N Copperline St | 411 Old Ferry Rd

ignores the phone of a second person in the row
  Phone - Person 1 → cell_phone: 414-555-0118 | 360-555-0125
  Phone - Person 2 → custom: 414-555-0118 | 360-555-0125

of two people with unknown qualifiers, uses the one whose name is mapped
  texter[firstName] → custom_fields.texter_first_name: Dana | Sam
  texter[lastName] → custom_fields.texter_last_name: Whitlock | Ortiz
  texter[email] → custom: dana@example.org | sam@example.org
  contact[firstName] → first_name: Ann | Bob
  contact[lastName] → last_name: Lee | Ray
  contact[cell] → cell_phone: +19045550118 | +12395550125

ignores the canvasser
  canvasser_name → custom: Dana W | Sam O
  canvasser_email → custom: dana@example.org | sam@example.org
  canvasser_notes → notes: dog | rude
  voter_first → first_name: Ann | Bob
  voter_last → last_name: Lee | Ray

prefers a delivery address to cross streets
  Cross streets → custom: Mill & 3rd | Hwy 9
  Delivery address → address1: 27 N Copperline St | 411 Old Ferry Rd

prefers the complete primary address
  primary_address1 → address1: 27 N Copperline St | 411 Old Ferry Rd
  primary_zip → zip: 89599 | 89199
  registered_address1 → custom: 27 N Copperline St | 411 Old Ferry Rd
  registered_zip → custom: 89599 | 89199

finds the second line of an address, wherever the headers name its owner
  Street line 1 - Home → address1: 27 N Copperline St | 411 Old Ferry Rd
  Street line 2 - Home → address2: Apt 3 |
  City - Home → city: Codorus |

a building with a number belongs to the address, a school does not
  Bldg → custom: WHS | FES
  Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  --
  Bldg → address2: 12 | B
  Address → address1: 27 N Copperline St | 411 Old Ferry Rd

notes may be anyone’s; numbers of a "Contact" are phones
  Caller Notes → notes: wrong # | plans Friday
  Contact → cell_phone: 17195550153 | 19705550160

uses the representative of a company; ignores somebody’s mother
  Member Name → custom: Ferry Hardware | Harbor Arts
  Rep First Name → first_name: Hieu | Priya
  Rep Last Name → last_name: Tranvale | Vandersloot
  Rep Cell → cell_phone: 802-555-0160 | 802-555-0125
  --
  Name → first_name full_name: Xuan Quyen Do | Thuc Doan Ly
  Mother Phone → custom: 802-555-0160 |

prefers a town of the residence to codes of a county
  ST NUM → address1 join: 14 | 27
  STREET NAME → address1 join: ALDER RD | MILL ST
  RES MUNI → city: SACO | CASCO
  CTY → county: YOR | CUM

uses the caller of a hotline if no other person is named, but not next to a voter
  Caller first → first_name: Ann | Bob
  Caller last → last_name: Lee | Ray
  Caller phone → cell_phone: 401-555-0167 |
  Landlord phone → custom: 401-555-0190 |
  --
  Voter Name → first_name full_name: Thuc Doan Ly | Xuan Quyen Do
  Caller first → custom: Ann | Bob
  Caller last → custom: Lee | Ray
  Caller phone → custom: 401-555-0167 |

uses the holder of a ticket if no other person is named; ignores the ticket’s name
  Ticket First Name → first_name: Ann | Bob
  Ticket Last Name → last_name: Lee | Ray
  Ticket Email → email: ann@example.org | bob@example.org
  --
  Ticket Name → custom: Early Bird | Late Bird
  Email → email: ann@example.org | bob@example.org

an addressee is not an address
  Addressee → custom: Ann Lee | Bob Ray
  Street → address1: 27 N Copperline St | 411 Old Ferry Rd

uses the first list’s columns of two merged lists
  zip_x → zip: 32299 | 33999
  zip_y → custom: 32299 |
  last_name_x → last_name: Lee | Ray
  last_name_y → custom: Lee |

"Cty" is a city if there is no other, else the county
  Cty → city: Mesilla
  Co → county: Otero
  --
  Cty → county: Kent
  Muni → city: Grand Ferry

reads precinct name and number; a voter status is not a precinct
  Precinct Name → precinct: Pine Hollow
  Pct → precinct_number: 12
  Voter Status → custom: Active
  Status → custom: A

uses stated support, not computed support
  support_level → whip_status: 1 | 4
  inferred_support_level → custom: 2 | 3
  --
  Support Score → custom: 73.4 | 12.9

offers to split a full name, unless there are first and last names
  Name → first_name full_name: Deshawn Okafor | Priya Vandersloot
  --
  Nombre → first_name full_name: Rosalba Peñaloza | Juan Arriaga
  --
  Name → custom: Deshawn Okafor
  First → first_name: Deshawn
  Last → last_name: Okafor

splits city, state and ZIP code in one column
  City, State ZIP → city city_state_zip: Lakeview, WI 53299 | Poudre Falls, CO 80599
  --
  City, State ZIP → custom: Lakeview, WI 53299 | Poudre Falls, CO 80599
  City → city: Lakeview | Poudre Falls
  --
  City, State → city city_state: Lakeview, WI | Poudre Falls, CO
  ZIP → zip: 53299 | 80599
  --
  City, State → custom: Lakeview, WI | Poudre Falls, CO
  ZIP → zip: 53299 | 80599
  State → state: WI | CO

questions may be numbered and may have extra text
  1. What is your first name? → first_name: Ann | Bob
  2. ...and your last name? → last_name: Lee | Ray
  3. What's the best number to text you at? (no spam!) → cell_phone: 716-555-0139 | 7185550146
  4. Which city or town do you live in? → city: Queens Bridge | Codorus
  5. What brings you to the group? → custom_fields.field_5_what_brings_you_to_the_group: Buses | My kids

words may lack their vowels
  Spprt (1-5) → whip_status: 1 | 4
  Cmmnts → notes: has dog | rude

reads paths of flattened records, from index 0
  tags.0 → tags: donor | host
  tags.1 → custom: host |
  phones.0.number → cell_phone: 716-555-0139 | 718-555-0146
  phones.1.number → custom: 716-555-0140 |

ignores words about the format, and unknown words next to those of a field
  first_nm_clean → first_name: Ann | Bob
  cell_phone_e164 → cell_phone: +17175550146 |
  addr_line_1_std → address1: 27 N Copperline St | 411 Old Ferry Rd
  Public Address City → city: Codorus | Coal Run
  --
  NONSTD_ADDRESS → custom: blue roof |

decide if the header is unknown
  Contact → email: deshawn@example.org | priya@example.org
  --
  Mail → email: deshawn@example.org | priya@example.org
  --
  Do you support her? → whip_status: Strong support | Undecided
  --
  Blorp → address1: 27 N Copperline St | 9034 Quail Bend Dr

decide if the header is ambiguous
  Title → precinct_role: Captain | Member
  --
  Title → custom: Mr. | Dr.
  --
  Street → address1: 27 N Copperline St | 411 Old Ferry Rd
  Street # → custom: 27 | 411

correct a unit header to a street line; but boxes do not
  Home address incl. apt → address1: 27 N Copperline St | 411 Old Ferry Rd
  --
  Address → address1: 27 N Copperline St | 411 Old Ferry Rd
  Address 2 → address2: PO Box 5 | PO Box 7

correct a number header to a street line
  Calle y número → address1: 27 N Copperline St | 411 Old Ferry Rd
`;

test.each(
  lists
    .trim()
    .split('\n\n')
    .map((entry) => entry.split('\n  ')),
)('%s', async (_, ...lines) => {
  for (const list of lines.join('\n').split('\n--\n')) {
    const columns = list.split('\n').map((line) => {
      const [, header = '', target = '', cells = ''] = /^(.*) → ([^:]*)(?:: (.*))?$/.exec(line) ?? [];
      const field = header
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.join('_');
      const expected = target === 'custom' ? `custom_fields.${field}` : target;
      return { header, expected, cells: cells.split('|').map((cell) => cell.trim()) };
    });
    expect(await mapped(Object.fromEntries(columns.map(({ header, cells }) => [header, cells])))).toEqual(
      Object.fromEntries(columns.map(({ header, expected }) => [header, expected])),
    );
  }
});

describe('choosing between columns', () => {
  test('without a person, a header about names is not conclusive', async () => {
    const confidences = async (headers: string[]) =>
      (await mapByRules({ headers, sampleRows: [['Ann', 'Lee', 'x']], hasHeader: true })).map(
        ({ confidence }) => confidence,
      );
    const [emergency = 1] = await confidences(['Emergency First Name', 'Emergency Last Name', 'Source']);
    expect(emergency).toBeLessThan(0.9);
  });

  test('uses federal districts only', async () => {
    const columns = { CD: ['NC-11'], 'Senate District': ['46'], HD: ['115'], 'School District': ['2'], cd118: ['11'] };
    const { cd118, ...first } = await mapped(columns);
    expect(first).toMatchObject({ CD: 'congressional_district', HD: 'custom_fields.hd' });
    expect(cd118).toBe('custom_fields.cd118');
  });
});

describe('headers', () => {
  /** A target, and headers of columns without values that go there; `custom` is any custom field. */
  const headers = `
first_name: \uFEFFfirst_name | FIRSTNAME | strFirstName | First  Name: | 1st Name | Frist Name | What is your first name?
first_name: Given Name / Prénom
last_name: Apellidos | Surname | LSTNAM | And your last name, {{field:ab12}}?
email: E-Mail Adress | Dirección de correo electrónico
zip: Código postal | Código P. | RZIPCD | C. P. | Zip/Postal Code | PostCode | 5-digit Zip | Postleitzahl
city: RSCITY | What city or town do you live in?
county: Address 1: County | Cnty_Name
state: State/Province (text only) | STATE_CD
cell_phone: Teléfono móvil | Ph-Cell | Ph (c) | Contact No. | Best # to reach you | Text # | Mobiltelefon
home_phone: Landline | Home/Land Line | Ph (h) | Home # | Telefon privat
address1: ADDR_LN1 | House Address
precinct_role: PC Title
precinct_status: PCO Status | Seat Status
congressional_district: Juris_USCongress | U.S. Congressional District
notes: Call Notes | Nts | Observaciones | Notizen
precinct_number: Pct # | District/Precinct
tags: Etiquetas
custom: Email Status | Phone Type | Spouse First Name | Emergency Contact Phone | State Senate District | City Council District
custom: Zip4 | Home Page | Last Vote Date | First Contact Date | County Voter ID | Address Type | Party | Employer City
custom: Previous Last Name | Email Opt In | Street Sweeping Day | Name of Employer | Precinct Captain Phone Type | Agent Email
custom: Tel. de emergencia | Emerg. Contact 1 Phone | Telefon geschäftlich | Private | Tenant Phone | Ph (w)
`;
  const cases = headers
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [target = '', list = ''] = line.split(/: (.*)/s);
      return list.split(' | ').map((header) => [header, target]);
    });
  test.each(cases)('%j is %s', async (header = '', target = '') => {
    const found = (await mapped({ [header]: [] }))[header];
    if (target === 'custom') expect(found).toMatch(/^custom_fields\./);
    else expect(found).toBe(target);
  });

  test.each(['', 'Unnamed: 0', 'row_id', 'Password', 'created_by', 'Updated At', '#'])('skips %j', async (header) =>
    expect(await mapped({ [header || 'Column C']: [] })).toEqual({ [header || 'Column C']: 'skip' }),
  );
});

describe('values', () => {
  test('contradict a header', async () => {
    expect(await mapped({ 'Home #': ['27', '411'] })).toEqual({ 'Home #': 'custom_fields.home' });
    const question = 'Which city do you live in?';
    expect((await mapped({ [question]: ['Yes', 'No'] }))[question]).not.toBe('city');
    expect(await mapped({ Mobile: ['TRUE', 'FALSE'] })).toEqual({ Mobile: 'custom_fields.mobile' });
    expect(await mapped({ Email: ['Yes', 'No'] })).toEqual({ Email: 'custom_fields.email' });
  });

  test('lower the confidence in a field that they do not suit', async () => {
    const certainty = async (header: string, cells: string[]) => {
      const sampleRows = cells.map((cell) => ['Ann', 'Lee', cell]);
      const mappings = await mapByRules({ headers: ['First Name', 'Last Name', header], sampleRows, hasHeader: true });
      return { target: mappings[2]?.target, isSure: (mappings[2]?.confidence ?? 0) >= 0.9 };
    };
    expect(await certainty('CD', ['Y', 'N', 'Y'])).toMatchObject({ target: 'custom_fields.cd' });
    expect(await certainty('CD', ['1', '1', '1'])).toEqual({ target: 'congressional_district', isSure: true });
    expect(await certainty('US Rep', ['Jane Doe', 'John Roe', 'Jane Doe'])).toMatchObject({
      target: 'custom_fields.us_rep',
    });
    expect(await certainty('County Employee', ['Y', 'N', 'Y'])).toMatchObject({
      target: 'custom_fields.county_employee',
    });
    expect(await certainty('Phone (spouse)', ['202-555-0101'])).toMatchObject({ target: 'custom_fields.phone_spouse' });
    expect(await certainty('Email (old)', ['ann@example.org'])).toMatchObject({ target: 'custom_fields.email_old' });
    expect(await certainty('County', ['51', '35', '12'])).toEqual({ target: 'county', isSure: false });
    expect(await certainty('County', ['Kent', 'Essex', 'Kent'])).toEqual({ target: 'county', isSure: true });
    expect(await certainty('Support', ['Walk', 'Phone', 'Walk'])).toEqual({ target: 'whip_status', isSure: false });
    expect(await certainty('Support', ['1', '4', '2'])).toEqual({ target: 'whip_status', isSure: true });
  });

  test('an initial next to the given name is not a family name without a header', async () => {
    const sampleRows = [
      ['OKAFOR', 'DESHAWN', 'L', '27 N Copperline St'],
      ['HILL', 'OTIS', 'B', '411 Old Ferry Rd'],
      ['NYQUIST', 'RENATA', 'M', '9034 Quail Bend Dr'],
    ];
    const mappings = await mapByRules({
      headers: ['Column A', 'Column B', 'Column C', 'Column D'],
      sampleRows,
      hasHeader: false,
    });
    expect(mappings.map(({ target }) => target)).toEqual([
      'last_name',
      'first_name',
      'custom_fields.column_c',
      'address1',
    ]);
  });

  test('a family name is next to the given name, before or after it', async () => {
    const rows = [
      ['Okafor', 'Deshawn', '27 N Copperline St', 'Riverton', 'SC', '29199'],
      ['Quintero', 'Mary', '1418 Alder Hollow Rd', 'Pinecrest', 'SC', '29799'],
    ];
    const mappings = await mapByRules({ headers: ['A', 'B', 'C', 'D', 'E', 'F'], sampleRows: rows, hasHeader: false });
    expect(mappings.map(({ target }) => target)).toEqual([
      'last_name',
      'first_name',
      'address1',
      'city',
      'state',
      'zip',
    ]);
  });

  test('decide alone without headers', async () => {
    const sampleRows = [
      ['Deshawn', 'Okafor', '27 N Copperline St', 'Lakeview', 'WI', '53299', '414-555-0118', 'd@example.org'],
      ['Linda', 'Vandersloot', '9034 Quail Bend Dr', 'Harbor Point', 'WA', '98299', '360-555-0125', 'l@example.org'],
    ];
    const headers = sampleRows[0]?.map((_, index) => `Column ${'ABCDEFGH'[index]}`) ?? [];
    const mappings = await mapByRules({ headers, sampleRows, hasHeader: false });
    expect(mappings.map(({ target }) => target)).toEqual([
      'first_name',
      'last_name',
      'address1',
      'city',
      'state',
      'zip',
      'cell_phone',
      'email',
    ]);
    expect(Math.max(...mappings.map(({ confidence }) => confidence))).toBeLessThan(0.9);
  });
});

describe('any headers and cells', () => {
  const nasty = [
    '__proto__',
    'constructor',
    'toString',
    'a'.repeat(5_000),
    '('.repeat(3_000),
    '🎉',
    '名前',
    '\u0000',
    "'; DROP TABLE",
    '=cmd|calc',
    '1',
    '-',
    '%',
    'custom_fields.x',
    'A_A',
    'a a',
    'A-A',
    '../../etc/passwd',
    'skip',
    'x'.repeat(100),
    'x'.repeat(101),
  ];
  test('custom fields get safe, unique names', async () => {
    const mappings = await mapByRules({
      headers: nasty,
      sampleRows: [nasty, nasty.map((text) => text.repeat(3))],
      hasHeader: true,
    });
    expect(mappings.map(({ source }) => source)).toEqual(nasty);
    const custom = mappings.map(({ target }) => target).filter((target) => target.startsWith('custom_fields.'));
    expect(custom.length).toBeGreaterThan(15);
    expect(new Set(custom).size).toBe(custom.length);
    for (const { target, confidence } of mappings) {
      expect(isMappingTarget(target)).toBe(true);
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThan(1);
    }
  });

  test('no columns, no rows, short rows', async () => {
    expect(await mapByRules({ headers: [], sampleRows: [], hasHeader: true })).toEqual([]);
    expect(
      await mapByRules({ headers: ['Email', 'Zip'], sampleRows: [['a@example.org'], []], hasHeader: true }),
    ).toMatchObject([{ target: 'email' }, { target: 'zip' }]);
  });
});
