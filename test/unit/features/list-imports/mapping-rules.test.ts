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

const street = ['27 N Copperline St', '411 Old Ferry Rd'];

describe('choosing between columns', () => {
  test('prefers residence to mailing in any order', async () => {
    const columns = {
      'Mailing Address': ['PO Box 5', 'PO Box 7'],
      'Mailing City': ['Codorus', 'Coal Run'],
      'Mailing Zip': ['17499', '18599'],
      'Res Address': street,
      'Res City': ['York Gap', 'Pine Run'],
      'Res Zip': ['17498', '18598'],
    };
    expect(await mapped(columns)).toEqual({
      'Mailing Address': 'custom_fields.mailing_address',
      'Mailing City': 'custom_fields.mailing_city',
      'Mailing Zip': 'custom_fields.mailing_zip',
      'Res Address': 'address1',
      'Res City': 'city',
      'Res Zip': 'zip',
    });
  });

  test('uses mailing if it is the only address', async () => {
    expect(await mapped({ 'Mailing Street': street, 'Mailing City': ['Codorus'], 'Mailing State': ['PA'] })).toEqual({
      'Mailing Street': 'address1',
      'Mailing City': 'city',
      'Mailing State': 'state',
    });
  });

  test('"Mail" and "Mail Address" are e-mail if the values are, else an address', async () => {
    const email = ['ann.lee@example.org', 'bob@example.org'];
    const names = { 'First Name': ['Ann', 'Bob'], 'Last Name': ['Lee', 'Ray'] };
    expect(await mapped({ ...names, mail: email })).toMatchObject({ mail: 'email' });
    expect(await mapped({ ...names, 'Mail Address': email })).toMatchObject({ 'Mail Address': 'email' });
    expect(await mapped({ ...names, 'Mail Address': street })).toMatchObject({ 'Mail Address': 'address1' });
    expect(await mapped({ ...names, Mail: email, Email: email })).toMatchObject({
      Mail: 'custom_fields.mail',
      Email: 'email',
    });
  });

  test('"Home" without values is the home phone, or nothing; with streets it is the address', async () => {
    const blank = ['', ''];
    expect(await mapped({ Home: blank })).toEqual({ Home: 'home_phone' });
    expect(await mapped({ 'Home Phone': ['312-555-0142'], Home: blank })).toMatchObject({ Home: 'custom_fields.home' });
    expect(await mapped({ Home: street })).toEqual({ Home: 'address1' });
  });

  test('skips columns that Tenantry added to a list of rejected rows', async () => {
    const base = { row: ['4', '6'], file_row: ['5', '7'], reasons: ['First: The first name is missing', ''] };
    expect(await mapped({ ...base, First: ['Ann', 'Bob'], Last: ['Lee', 'Ray'] })).toEqual({
      row: 'skip',
      file_row: 'skip',
      reasons: 'skip',
      First: 'first_name',
      Last: 'last_name',
    });
    expect(await mapped({ First: ['Ann'], Last: ['Lee'], reasons: ['War'] })).toMatchObject({
      reasons: 'custom_fields.reasons',
    });
  });

  test('recognizes each of the contract’s aliases alone', async () => {
    const names = { 'First Name': ['Ann', 'Bob'], 'Last Name': ['Lee', 'Ray'] };
    const phones = ['406-555-0101', '406-555-0102'];
    expect(await mapped({ ...names, 'Phone 2': phones })).toMatchObject({ 'Phone 2': 'home_phone' });
    expect(await mapped({ ...names, Home: phones })).toMatchObject({ Home: 'home_phone' });
    expect(await mapped({ ...names, Cty: ['Kent', 'Otero'] })).toMatchObject({ Cty: 'county' });
    expect(await mapped({ ...names, Cty: ['Kent', 'York'], ST: ['WA', 'PA'] })).toMatchObject({ Cty: 'city' });
  });

  test('uses mailing if residence is empty', async () => {
    const columns = {
      'Home Street': ['', ''],
      'Home City': ['', ''],
      'Mailing Street': street,
      'Mailing City': ['Codorus'],
    };
    expect(await mapped(columns)).toMatchObject({ 'Mailing Street': 'address1', 'Mailing City': 'city' });
  });

  test('prefers a full line to its parts', async () => {
    const columns = { HOUSE_NUM: ['27', '411'], STREET_NAME: ['Copperline', 'Old Ferry'], RES_ADDRESS: street };
    expect(await mapped(columns)).toEqual({
      HOUSE_NUM: 'custom_fields.house_num',
      STREET_NAME: 'custom_fields.street_name',
      RES_ADDRESS: 'address1',
    });
  });

  test('joins parts without a line, also units', async () => {
    const columns = {
      StreetNum: ['27', '411'],
      StreetDir: ['N', ''],
      StreetName: ['Copperline', 'Old Ferry'],
      StreetType: ['St', 'Rd'],
      UnitType: ['Apt', ''],
      UnitNumber: ['4B', ''],
    };
    expect(await mapped(columns)).toEqual({
      StreetNum: 'address1 join',
      StreetDir: 'address1 join',
      StreetName: 'address1 join',
      StreetType: 'address1 join',
      UnitType: 'address2 join',
      UnitNumber: 'address2 join',
    });
  });

  test('mobile is the cell phone; a plain phone is cell, or home if there is a mobile one; a work phone is neither', async () => {
    const phone = ['414-555-0118', '360-555-0125'];
    expect(await mapped({ Phone: phone })).toEqual({ Phone: 'cell_phone' });
    expect(await mapped({ Phone: phone, Mobile: phone })).toEqual({ Phone: 'home_phone', Mobile: 'cell_phone' });
    expect(await mapped({ 'Home Phone': phone, Cell: phone, 'Work Phone': phone, 'Phone 2': phone })).toEqual({
      'Home Phone': 'home_phone',
      Cell: 'cell_phone',
      'Work Phone': 'custom_fields.work_phone',
      'Phone 2': 'custom_fields.phone_2',
    });
    expect(await mapped({ Phone: phone, 'Phone 2': phone })).toEqual({ Phone: 'cell_phone', 'Phone 2': 'home_phone' });
  });

  test('the type of a phone may be in an adjacent column', async () => {
    const columns = {
      'Phone 1 - Type': ['Home', 'Home'],
      'Phone 1 - Value': ['414-555-0118', '360-555-0125'],
      'Phone 2 - Type': ['Mobile', 'Mobile'],
      'Phone 2 - Value': ['414-555-0119', '360-555-0126'],
    };
    expect(await mapped(columns)).toMatchObject({ 'Phone 1 - Value': 'home_phone', 'Phone 2 - Value': 'cell_phone' });
  });

  test('a phone type column may say that the value is an e-mail address', async () => {
    const columns = {
      CnPh_1_01_Phone_type: ['Home', 'Home'],
      CnPh_1_01_Phone_number: ['414-555-0118', '360-555-0125'],
      CnPh_1_02_Phone_type: ['Email', 'Email'],
      CnPh_1_02_Phone_number: ['a@example.org', 'b@example.org'],
    };
    expect(await mapped(columns)).toMatchObject({
      CnPh_1_01_Phone_number: 'home_phone',
      CnPh_1_02_Phone_number: 'email',
    });
  });

  test('uses the person with the most columns of two in each row', async () => {
    const columns = {
      'User First Name': ['Dana', 'Dana'],
      'User Last Name': ['Whitlock', 'Whitlock'],
      'User Email': ['dana@example.org', 'dana@example.org'],
      'Contact First Name': ['Deshawn', 'Priya'],
      'Contact Last Name': ['Okafor', 'Vandersloot'],
      'Contact Email': ['d@example.org', 'p@example.org'],
      'Contact Address': street,
    };
    expect(await mapped(columns)).toEqual({
      'User First Name': 'custom_fields.user_first_name',
      'User Last Name': 'custom_fields.user_last_name',
      'User Email': 'custom_fields.user_email',
      'Contact First Name': 'first_name',
      'Contact Last Name': 'last_name',
      'Contact Email': 'email',
      'Contact Address': 'address1',
    });
  });

  test('uses a parent if no other person is named; never a second one', async () => {
    const columns = {
      'Student First Name': ['Nora', 'Eli'],
      'Student Last Name': ['Okafor', 'Tranvale'],
      'Parent 1 First Name': ['Deshawn', 'Hieu'],
      'Parent 1 Last Name': ['Okafor', 'Tranvale'],
      'Parent 1 Email': ['d@example.org', 'h@example.org'],
      'Parent 2 First Name': ['Ann', ''],
      'Emergency Contact Phone': ['414-555-0118', ''],
    };
    expect(await mapped(columns)).toEqual({
      'Student First Name': 'custom_fields.student_first_name',
      'Student Last Name': 'custom_fields.student_last_name',
      'Parent 1 First Name': 'first_name',
      'Parent 1 Last Name': 'last_name',
      'Parent 1 Email': 'email',
      'Parent 2 First Name': 'custom_fields.parent_2_first_name',
      'Emergency Contact Phone': 'custom_fields.emergency_contact_phone',
    });
    const base = { ...columns, 'First Name': ['Otis'], 'Last Name': ['Underhill'] };
    expect(await mapped(base)).toMatchObject({
      'First Name': 'first_name',
      'Parent 1 First Name': 'custom_fields.parent_1_first_name',
      'Parent 1 Email': 'custom_fields.parent_1_email',
    });
  });

  test('uses the captain on a roster of captains, but not on a list of voters', async () => {
    const roster = {
      Precinct: ['Pine Hollow 2', 'Star City East'],
      'Captain Name': ['Deshawn Okafor', 'Priya Vandersloot'],
      'Captain Email': ['d@example.org', 'p@example.org'],
      'Captain Status': ['Filled', 'Vacant'],
    };
    expect(await mapped(roster)).toEqual({
      Precinct: 'precinct',
      'Captain Name': 'first_name full_name',
      'Captain Email': 'email',
      'Captain Status': 'precinct_status',
    });
    expect(await mapped({ ...roster, 'Voter Name': ['Otis Underhill', 'Ana Ruiz'] })).toMatchObject({
      'Voter Name': 'first_name full_name',
      'Captain Name': 'custom_fields.captain_name',
      'Captain Email': 'custom_fields.captain_email',
    });
  });

  test('uses the head of a household, not the spouse', async () => {
    const columns = {
      'Head of Household First Name': ['Deshawn'],
      'HoH Last Name': ['Okafor'],
      'Spouse First Name': ['Ann'],
    };
    expect(await mapped(columns)).toEqual({
      'Head of Household First Name': 'first_name',
      'HoH Last Name': 'last_name',
      'Spouse First Name': 'custom_fields.spouse_first_name',
    });
  });

  test('"ad" before an address part is an address, alone it is not', async () => {
    expect(
      await mapped({ ad_num: ['27', '411'], ad_str1: ['Copperline St', 'Old Ferry Rd'], AD: ['14', '18'] }),
    ).toEqual({
      ad_num: 'address1 join',
      ad_str1: 'address1 join',
      AD: 'custom_fields.ad',
    });
    expect(await mapped({ AD: [] })).toEqual({ AD: 'custom_fields.ad' });
  });

  test('distinguishes addresses by a prefix of two letters', async () => {
    const columns = {
      'Details (MA)': ['PO Box 5', 'PO Box 7'],
      'City (MA)': ['Codorus', 'Coal Run'],
      'Details (RA)': street,
      'City (RA)': ['York Gap', 'Pine Run'],
    };
    expect(await mapped(columns)).toMatchObject({
      'City (MA)': 'custom_fields.city_ma',
      'Details (RA)': 'address1',
      'City (RA)': 'city',
    });
  });

  test('uses the city of the same address as the street', async () => {
    const columns = { 'Reg Town': ['Bangor'], 'St Num': ['12'], 'St Name': ['Elm St'], City: ['Hampden'] };
    expect(await mapped(columns)).toMatchObject({ 'Reg Town': 'custom_fields.reg_town', City: 'city' });
  });

  test('prefers parts to an empty line', async () => {
    const columns = {
      'House Number': ['27', '411'],
      'Street Name': ['Copperline St', 'Old Ferry Rd'],
      Address: ['', ''],
    };
    expect(await mapped(columns)).toMatchObject({
      'House Number': 'address1 join',
      'Street Name': 'address1 join',
      Address: 'custom_fields.address',
    });
  });

  test('numbered repetitions are another address', async () => {
    const columns = { Street: street, Unit: ['Apt 2', ''], City: ['Bangor'], 'Street.1': street, 'Unit.1': ['', '7'] };
    expect(await mapped(columns)).toEqual({
      Street: 'address1',
      Unit: 'address2',
      City: 'city',
      'Street.1': 'custom_fields.street_1',
      'Unit.1': 'custom_fields.unit_1',
    });
    expect(await mapped({ Address: street, 'Address (2)': street })).toMatchObject({
      'Address (2)': 'custom_fields.address_2',
    });
  });

  test('"Home" is a phone if there is no other, but not next to "Home Phone"', async () => {
    const phone = ['414-555-0118', '360-555-0125'];
    expect(await mapped({ Home: phone })).toEqual({ Home: 'home_phone' });
    expect(await mapped({ Home: ['', ''], 'Home Phone': phone, Street: street })).toMatchObject({
      Home: 'custom_fields.home',
      'Home Phone': 'home_phone',
    });
  });

  test('prefers a full name under the word for the person to apparent given names', async () => {
    const columns = { Person: ['Deshawn Okafor', 'Priya Vandersloot'], 'Point person': ['Linda', 'Mary'] };
    expect(await mapped(columns)).toEqual({
      Person: 'first_name full_name',
      'Point person': 'custom_fields.point_person',
    });
  });

  test('ignores the name of something unknown, but uses the holder’s of an account', async () => {
    const columns = {
      'Program Name': ['Spring Soccer', 'Autumn Choir'],
      'Account First Name': ['Deshawn', 'Priya'],
      'Account Last Name': ['Okafor', 'Vandersloot'],
    };
    expect(await mapped(columns)).toEqual({
      'Program Name': 'custom_fields.program_name',
      'Account First Name': 'first_name',
      'Account Last Name': 'last_name',
    });
  });

  test('reads qualifiers in brackets, as form builders write them', async () => {
    const columns = {
      'Name (Prefix)': ['', 'Dr.'],
      'Name (First)': ['Deshawn', 'Priya'],
      'Name (Last)': ['Okafor', 'Vandersloot'],
      'Address (Street Address)': street,
      'Address (Address Line 2)': ['Apt 4B', ''],
      'Address (City)': ['Lakeview', 'Harbor Point'],
      'Address (ZIP / Postal Code)': ['53299', '98299'],
      'Phone (for texts)': ['414-555-0118', '360-555-0125'],
    };
    expect(await mapped(columns)).toEqual({
      'Name (Prefix)': 'custom_fields.name_prefix',
      'Name (First)': 'first_name',
      'Name (Last)': 'last_name',
      'Address (Street Address)': 'address1',
      'Address (Address Line 2)': 'address2',
      'Address (City)': 'city',
      'Address (ZIP / Postal Code)': 'zip',
      'Phone (for texts)': 'cell_phone',
    });
  });

  test('prefers a column with values to an empty one', async () => {
    const columns = {
      'Email Address': ['', ''],
      'First Name': ['', ''],
      'Last Name': ['', ''],
      'Contact Information - Name': ['Deshawn Okafor', 'Priya Vandersloot'],
      'Contact Information - Email': ['d@example.org', 'p@example.org'],
    };
    expect(await mapped(columns)).toEqual({
      'Email Address': 'custom_fields.email_address',
      'First Name': 'custom_fields.first_name',
      'Last Name': 'custom_fields.last_name',
      'Contact Information - Name': 'first_name full_name',
      'Contact Information - Email': 'email',
    });
  });

  test('uses the tenant of a building, not the landlord; the father or tutor named first, not the mother', async () => {
    const building = { 'Bldg Address': street, 'Tenant First': ['Ana'], 'Tenant Phone': ['414-555-0118'] };
    expect(await mapped({ ...building, 'Landlord Name': ['Otis Hill'], 'Landlord Phone': ['414-555-0190'] })).toEqual({
      'Bldg Address': 'address1',
      'Tenant First': 'first_name',
      'Tenant Phone': 'cell_phone',
      'Landlord Name': 'custom_fields.landlord_name',
      'Landlord Phone': 'custom_fields.landlord_phone',
    });
    const pupils = {
      Alumno: ['Mateo Ruiz', 'Nora Mena'],
      'Nombre del padre o tutor': ['Hugo', 'Luis'],
      'Celular del padre o tutor': ['414-555-0118', '360-555-0125'],
      'Correo del padre o tutor': ['h@example.org', 'l@example.org'],
      'Nombre de la madre': ['Ana', 'Eva'],
      'Celular de la madre': ['414-555-0119', '360-555-0126'],
    };
    expect(await mapped(pupils)).toMatchObject({
      'Nombre del padre o tutor': 'first_name',
      'Celular del padre o tutor': 'cell_phone',
      'Nombre de la madre': 'custom_fields.nombre_de_la_madre',
      'Celular de la madre': 'custom_fields.celular_de_la_madre',
    });
  });

  test('the unit next to a mailing address belongs to it', async () => {
    expect(await mapped({ 'Mailing Address': street, Apt: ['4B', ''] })).toEqual({
      'Mailing Address': 'address1',
      Apt: 'address2',
    });
  });

  test('a house number in RES_HOUSE is part of the street', async () => {
    expect(await mapped({ RES_HOUSE: ['27', '411'], 'RES STREET': ['Copperline St', 'Old Ferry Rd'] })).toEqual({
      RES_HOUSE: 'address1 join',
      'RES STREET': 'address1 join',
    });
    expect(await mapped({ House: ['57', '12'], Street: street })).toEqual({
      House: 'custom_fields.house',
      Street: 'address1',
    });
  });

  test('ignores the phone of a second person in the row', async () => {
    const phone = ['414-555-0118', '360-555-0125'];
    expect(await mapped({ 'Phone - Person 1': phone, 'Phone - Person 2': phone })).toEqual({
      'Phone - Person 1': 'cell_phone',
      'Phone - Person 2': 'custom_fields.phone_person_2',
    });
  });

  test('of two people with unknown qualifiers, uses the one whose name is mapped', async () => {
    const email = ['dana@example.org', 'sam@example.org'];
    expect(
      await mapped({
        'texter[firstName]': ['Dana', 'Sam'],
        'texter[lastName]': ['Whitlock', 'Ortiz'],
        'texter[email]': email,
        'contact[firstName]': ['Ann', 'Bob'],
        'contact[lastName]': ['Lee', 'Ray'],
        'contact[cell]': ['+19045550118', '+12395550125'],
      }),
    ).toMatchObject({
      'texter[firstName]': 'custom_fields.texter_first_name',
      'texter[email]': 'custom_fields.texter_email',
      'contact[firstName]': 'first_name',
      'contact[cell]': 'cell_phone',
    });
  });

  test('ignores the canvasser', async () => {
    const email = ['dana@example.org', 'sam@example.org'];
    const voter = { voter_first: ['Ann', 'Bob'], voter_last: ['Lee', 'Ray'] };
    const canvasser = { canvasser_name: ['Dana W', 'Sam O'], canvasser_email: email, canvasser_notes: ['dog', 'rude'] };
    expect(await mapped({ ...canvasser, ...voter })).toMatchObject({
      canvasser_email: 'custom_fields.canvasser_email',
      canvasser_notes: 'notes',
      voter_first: 'first_name',
    });
  });

  test('prefers a delivery address to cross streets', async () => {
    expect(await mapped({ 'Cross streets': ['Mill & 3rd', 'Hwy 9'], 'Delivery address': street })).toEqual({
      'Cross streets': 'custom_fields.cross_streets',
      'Delivery address': 'address1',
    });
  });

  test('prefers the complete primary address', async () => {
    expect(
      await mapped({
        primary_address1: street,
        primary_zip: ['89599', '89199'],
        registered_address1: street,
        registered_zip: ['89599', '89199'],
      }),
    ).toEqual({
      primary_address1: 'address1',
      primary_zip: 'zip',
      registered_address1: 'custom_fields.registered_address1',
      registered_zip: 'custom_fields.registered_zip',
    });
  });

  test('finds the second line of an address, wherever the headers name its owner', async () => {
    expect(
      await mapped({
        'Street line 1 - Home': street,
        'Street line 2 - Home': ['Apt 3', ''],
        'City - Home': ['Codorus', ''],
      }),
    ).toEqual({ 'Street line 1 - Home': 'address1', 'Street line 2 - Home': 'address2', 'City - Home': 'city' });
  });

  test('a building with a number belongs to the address, a school does not', async () => {
    expect(await mapped({ Bldg: ['WHS', 'FES'], Address: street })).toMatchObject({ Bldg: 'custom_fields.bldg' });
    expect(await mapped({ Bldg: ['12', 'B'], Address: street })).toMatchObject({ Bldg: 'address2' });
  });

  test('notes may be anyone’s; numbers of a "Contact" are phones', async () => {
    expect(
      await mapped({ 'Caller Notes': ['wrong #', 'plans Friday'], Contact: ['17195550153', '19705550160'] }),
    ).toEqual({
      'Caller Notes': 'notes',
      Contact: 'cell_phone',
    });
  });

  test('uses the representative of a company; ignores somebody’s mother', async () => {
    expect(
      await mapped({
        'Member Name': ['Ferry Hardware', 'Harbor Arts'],
        'Rep First Name': ['Hieu', 'Priya'],
        'Rep Last Name': ['Tranvale', 'Vandersloot'],
        'Rep Cell': ['802-555-0160', '802-555-0125'],
      }),
    ).toEqual({
      'Member Name': 'custom_fields.member_name',
      'Rep First Name': 'first_name',
      'Rep Last Name': 'last_name',
      'Rep Cell': 'cell_phone',
    });
    expect(await mapped({ Name: ['Xuan Quyen Do', 'Thuc Doan Ly'], 'Mother Phone': ['802-555-0160', ''] })).toEqual({
      Name: 'first_name full_name',
      'Mother Phone': 'custom_fields.mother_phone',
    });
  });

  test('prefers a town of the residence to codes of a county', async () => {
    expect(
      await mapped({
        'ST NUM': ['14', '27'],
        'STREET NAME': ['ALDER RD', 'MILL ST'],
        'RES MUNI': ['SACO', 'CASCO'],
        CTY: ['YOR', 'CUM'],
      }),
    ).toMatchObject({ 'RES MUNI': 'city', CTY: 'county' });
  });

  test('uses the caller of a hotline if no other person is named, but not next to a voter', async () => {
    const caller = {
      'Caller first': ['Ann', 'Bob'],
      'Caller last': ['Lee', 'Ray'],
      'Caller phone': ['401-555-0167', ''],
    };
    const landlord = { 'Landlord phone': ['401-555-0190', ''] };
    expect(await mapped({ ...caller, ...landlord })).toEqual({
      'Caller first': 'first_name',
      'Caller last': 'last_name',
      'Caller phone': 'cell_phone',
      'Landlord phone': 'custom_fields.landlord_phone',
    });
    expect(await mapped({ 'Voter Name': ['Thuc Doan Ly', 'Xuan Quyen Do'], ...caller })).toMatchObject({
      'Voter Name': 'first_name full_name',
      'Caller first': 'custom_fields.caller_first',
      'Caller phone': 'custom_fields.caller_phone',
    });
  });

  test('uses the holder of a ticket if no other person is named; ignores the ticket’s name', async () => {
    const email = ['ann@example.org', 'bob@example.org'];
    expect(
      await mapped({ 'Ticket First Name': ['Ann', 'Bob'], 'Ticket Last Name': ['Lee', 'Ray'], 'Ticket Email': email }),
    ).toEqual({ 'Ticket First Name': 'first_name', 'Ticket Last Name': 'last_name', 'Ticket Email': 'email' });
    expect(await mapped({ 'Ticket Name': ['Early Bird', 'Late Bird'], Email: email })).toMatchObject({
      'Ticket Name': 'custom_fields.ticket_name',
    });
  });

  test('an addressee is not an address', async () => {
    expect(await mapped({ Addressee: ['Ann Lee', 'Bob Ray'], Street: street })).toEqual({
      Addressee: 'custom_fields.addressee',
      Street: 'address1',
    });
  });

  test('uses the first list’s columns of two merged lists', async () => {
    expect(
      await mapped({
        zip_x: ['32299', '33999'],
        zip_y: ['32299', ''],
        last_name_x: ['Lee', 'Ray'],
        last_name_y: ['Lee', ''],
      }),
    ).toEqual({
      zip_x: 'zip',
      zip_y: 'custom_fields.zip_y',
      last_name_x: 'last_name',
      last_name_y: 'custom_fields.last_name_y',
    });
  });

  test('without a person, a header about names is not conclusive', async () => {
    const confidences = async (headers: string[]) =>
      (await mapByRules({ headers, sampleRows: [['Ann', 'Lee', 'x']], hasHeader: true })).map(
        ({ confidence }) => confidence,
      );
    const [emergency = 1] = await confidences(['Emergency First Name', 'Emergency Last Name', 'Source']);
    expect(emergency).toBeLessThan(0.9);
  });

  test('"Cty" is a city if there is no other, else the county', async () => {
    expect(await mapped({ Cty: ['Mesilla'], Co: ['Otero'] })).toEqual({ Cty: 'city', Co: 'county' });
    expect(await mapped({ Cty: ['Kent'], Muni: ['Grand Ferry'] })).toEqual({ Cty: 'county', Muni: 'city' });
  });

  test('reads precinct name and number; a voter status is not a precinct', async () => {
    const columns = { 'Precinct Name': ['Pine Hollow'], Pct: ['12'], 'Voter Status': ['Active'], Status: ['A'] };
    expect(await mapped(columns)).toEqual({
      'Precinct Name': 'precinct',
      Pct: 'precinct_number',
      'Voter Status': 'custom_fields.voter_status',
      Status: 'custom_fields.status',
    });
  });

  test('uses stated support, not computed support', async () => {
    expect(await mapped({ support_level: ['1', '4'], inferred_support_level: ['2', '3'] })).toEqual({
      support_level: 'whip_status',
      inferred_support_level: 'custom_fields.inferred_support_level',
    });
    expect(await mapped({ 'Support Score': ['73.4', '12.9'] })).toEqual({
      'Support Score': 'custom_fields.support_score',
    });
  });

  test('uses federal districts only', async () => {
    const columns = { CD: ['NC-11'], 'Senate District': ['46'], HD: ['115'], 'School District': ['2'], cd118: ['11'] };
    const { cd118, ...first } = await mapped(columns);
    expect(first).toMatchObject({ CD: 'congressional_district', HD: 'custom_fields.hd' });
    expect(cd118).toBe('custom_fields.cd118');
  });
});

describe('columns with several fields', () => {
  test('offers to split a full name, unless there are first and last names', async () => {
    expect(await mapped({ Name: ['Deshawn Okafor', 'Priya Vandersloot'] })).toEqual({ Name: 'first_name full_name' });
    expect(await mapped({ Nombre: ['Rosalba Peñaloza', 'Juan Arriaga'] })).toEqual({ Nombre: 'first_name full_name' });
    expect(await mapped({ Name: ['Deshawn Okafor'], First: ['Deshawn'], Last: ['Okafor'] })).toMatchObject({
      Name: 'custom_fields.name',
    });
  });

  test('splits city, state and ZIP code in one column', async () => {
    const csz = { 'City, State ZIP': ['Lakeview, WI 53299', 'Poudre Falls, CO 80599'] };
    expect(await mapped(csz)).toEqual({ 'City, State ZIP': 'city city_state_zip' });
    expect(await mapped({ ...csz, City: ['Lakeview', 'Poudre Falls'] })).toMatchObject({ City: 'city' });
    const base = { 'City, State': ['Lakeview, WI', 'Poudre Falls, CO'], ZIP: ['53299', '80599'] };
    expect(await mapped(base)).toEqual({ 'City, State': 'city city_state', ZIP: 'zip' });
    expect(await mapped({ ...base, State: ['WI', 'CO'] })).toMatchObject({ State: 'state', ZIP: 'zip' });
  });
});

describe('headers', () => {
  test.each([
    ['\uFEFFfirst_name', 'first_name'],
    ['FIRSTNAME', 'first_name'],
    ['strFirstName', 'first_name'],
    ['First  Name:', 'first_name'],
    ['1st Name', 'first_name'],
    ['Frist Name', 'first_name'],
    ['What is your first name?', 'first_name'],
    ['Given Name / Prénom', 'first_name'],
    ['Apellidos', 'last_name'],
    ['Surname', 'last_name'],
    ['E-Mail Adress', 'email'],
    ['Dirección de correo electrónico', 'email'],
    ['Código postal', 'zip'],
    ['Código P.', 'zip'],
    ['RZIPCD', 'zip'],
    ['C. P.', 'zip'],
    ['LSTNAM', 'last_name'],
    ['RSCITY', 'city'],
    ['Address 1: County', 'county'],
    ['And your last name, {{field:ab12}}?', 'last_name'],
    ['Zip/Postal Code', 'zip'],
    ['PostCode', 'zip'],
    ['State/Province (text only)', 'state'],
    ['STATE_CD', 'state'],
    ['Teléfono móvil', 'cell_phone'],
    ['Ph-Cell', 'cell_phone'],
    ['Landline', 'home_phone'],
    ['Home/Land Line', 'home_phone'],
    ['Ph (h)', 'home_phone'],
    ['Ph (c)', 'cell_phone'],
    ['Home #', 'home_phone'],
    ['ADDR_LN1', 'address1'],
    ['5-digit Zip', 'zip'],
    ['Contact No.', 'cell_phone'],
    ['Best # to reach you', 'cell_phone'],
    ['Text #', 'cell_phone'],
    ['House Address', 'address1'],
    ['PC Title', 'precinct_role'],
    ['PCO Status', 'precinct_status'],
    ['What city or town do you live in?', 'city'],
    ['Juris_USCongress', 'congressional_district'],
    ['Call Notes', 'notes'],
    ['Nts', 'notes'],
    ['U.S. Congressional District', 'congressional_district'],
    ['Cnty_Name', 'county'],
    ['Pct #', 'precinct_number'],
    ['Observaciones', 'notes'],
    ['Notizen', 'notes'],
    ['Telefon privat', 'home_phone'],
    ['Postleitzahl', 'zip'],
    ['Mobiltelefon', 'cell_phone'],
    ['Seat Status', 'precinct_status'],
    ['District/Precinct', 'precinct_number'],
    ['Etiquetas', 'tags'],
  ])('%j is %s', async (header, target) => expect((await mapped({ [header]: [] }))[header]).toBe(target));

  test.each([
    'Email Status',
    'Phone Type',
    'Spouse First Name',
    'Emergency Contact Phone',
    'State Senate District',
    'City Council District',
    'Zip4',
    'Home Page',
    'Last Vote Date',
    'First Contact Date',
    'County Voter ID',
    'Address Type',
    'Party',
    'Employer City',
    'Previous Last Name',
    'Email Opt In',
    'Street Sweeping Day',
    'Name of Employer',
    'Precinct Captain Phone Type',
    'Agent Email',
    'Tel. de emergencia',
    'Emerg. Contact 1 Phone',
    'Telefon geschäftlich',
    'Private',
    'Tenant Phone',
    'Ph (w)',
  ])('%j is not a person field', async (header) =>
    expect((await mapped({ [header]: [] }))[header]).toMatch(/^custom_fields\./),
  );

  test('questions may be numbered and may have extra text', async () => {
    expect(
      await mapped({
        '1. What is your first name?': ['Ann', 'Bob'],
        '2. ...and your last name?': ['Lee', 'Ray'],
        "3. What's the best number to text you at? (no spam!)": ['716-555-0139', '7185550146'],
        '4. Which city or town do you live in?': ['Queens Bridge', 'Codorus'],
        '5. What brings you to the group?': ['Buses', 'My kids'],
      }),
    ).toEqual({
      '1. What is your first name?': 'first_name',
      '2. ...and your last name?': 'last_name',
      "3. What's the best number to text you at? (no spam!)": 'cell_phone',
      '4. Which city or town do you live in?': 'city',
      '5. What brings you to the group?': 'custom_fields.field_5_what_brings_you_to_the_group',
    });
  });

  test('words may lack their vowels', async () => {
    expect(await mapped({ 'Spprt (1-5)': ['1', '4'], Cmmnts: ['has dog', 'rude'] })).toEqual({
      'Spprt (1-5)': 'whip_status',
      Cmmnts: 'notes',
    });
  });

  test('reads paths of flattened records, from index 0', async () => {
    expect(
      await mapped({
        'tags.0': ['donor', 'host'],
        'tags.1': ['host', ''],
        'phones.0.number': ['716-555-0139', '718-555-0146'],
        'phones.1.number': ['716-555-0140', ''],
      }),
    ).toEqual({
      'tags.0': 'tags',
      'tags.1': 'custom_fields.tags_1',
      'phones.0.number': 'cell_phone',
      'phones.1.number': 'custom_fields.phones_1_number',
    });
  });

  test('ignores words about the format, and unknown words next to those of a field', async () => {
    expect(
      await mapped({
        first_nm_clean: ['Ann', 'Bob'],
        cell_phone_e164: ['+17175550146', ''],
        addr_line_1_std: street,
        'Public Address City': ['Codorus', 'Coal Run'],
      }),
    ).toEqual({
      first_nm_clean: 'first_name',
      cell_phone_e164: 'cell_phone',
      addr_line_1_std: 'address1',
      'Public Address City': 'city',
    });
    expect(await mapped({ NONSTD_ADDRESS: ['blue roof', ''] })).toEqual({
      NONSTD_ADDRESS: 'custom_fields.nonstd_address',
    });
  });

  test.each(['', 'Unnamed: 0', 'row_id', 'Password', 'created_by', 'Updated At', '#'])('skips %j', async (header) =>
    expect(await mapped({ [header || 'Column C']: [] })).toEqual({ [header || 'Column C']: 'skip' }),
  );
});

describe('values', () => {
  test('decide if the header is unknown', async () => {
    expect(await mapped({ Contact: ['deshawn@example.org', 'priya@example.org'] })).toEqual({ Contact: 'email' });
    expect(await mapped({ Mail: ['deshawn@example.org', 'priya@example.org'] })).toEqual({ Mail: 'email' });
    expect(await mapped({ 'Do you support her?': ['Strong support', 'Undecided'] })).toEqual({
      'Do you support her?': 'whip_status',
    });
    expect(await mapped({ Blorp: ['27 N Copperline St', '9034 Quail Bend Dr'] })).toEqual({ Blorp: 'address1' });
  });

  test('decide if the header is ambiguous', async () => {
    expect(await mapped({ Title: ['Captain', 'Member'] })).toEqual({ Title: 'precinct_role' });
    expect(await mapped({ Title: ['Mr.', 'Dr.'] })).toEqual({ Title: 'custom_fields.title' });
    expect(await mapped({ Street: street, 'Street #': ['27', '411'] })).toMatchObject({ Street: 'address1' });
  });

  test('correct a unit header to a street line; but boxes do not', async () => {
    expect(await mapped({ 'Home address incl. apt': street })).toEqual({ 'Home address incl. apt': 'address1' });
    expect(await mapped({ Address: street, 'Address 2': ['PO Box 5', 'PO Box 7'] })).toMatchObject({
      'Address 2': 'address2',
    });
  });

  test('correct a number header to a street line', async () => {
    expect(await mapped({ 'Calle y número': street })).toEqual({ 'Calle y número': 'address1' });
  });

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
