import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createAssistant } from '../../../../src/adapters/assistant/assistant.ts';
import { sensitiveKinds, withholding } from '../../../../src/features/list-imports/mapping/sensitive.ts';
import { createMappingSuggestions } from '../../../../src/features/list-imports/mapping/suggest.ts';
import { layoutsOf } from '../../../fixtures/list-layouts/layouts.ts';
import { type AssistantServer, startAssistantServer } from '../../../harness/servers/assistant-server.ts';

describe('sensitive columns', () => {
  test.each([
    ['Race', 'race or ethnicity'],
    ['race_desc', 'race or ethnicity'],
    ['EthnicGroup', 'race or ethnicity'],
    ['Ethnicity', 'race or ethnicity'],
    ['SSN', 'social security number'],
    ['ssn4', 'social security number'],
    ['Social Security #', 'social security number'],
    ["Driver's License No.", 'driver’s licence'],
    ['DriversLicense', 'driver’s licence'],
    ['DL Number', 'driver’s licence'],
    ['drivers_lic', 'driver’s licence'],
    ['driver_lic_no', 'driver’s licence'],
    ['DL_NUMBER', 'driver’s licence'],
    ['DLNum', 'driver’s licence'],
    ['drv_lic', 'driver’s licence'],
    ['DRVLICNO', 'driver’s licence'],
    ['driverslicense', 'driver’s licence'],
    ['DL#', 'driver’s licence'],
    ['SSNLast4', 'social security number'],
    ['no_dl_ssn_chkbx', 'social security number'],
    ['Soc. Sec. Nbr', 'social security number'],
    ['SS_NUM', 'social security number'],
    ['Race1', 'race or ethnicity'],
    ['ETHN_CD', 'race or ethnicity'],
    ['Hispanic_Surname_Flag', 'race or ethnicity'],
    ['Religions_Description', 'religion'],
    ['church', 'religion'],
    ['Passport', 'identity document'],
    ['IBAN', 'bank account or card'],
    ['Medical notes', 'health'],
    ['Religión', 'religion'],
    ['Religious affiliation', 'religion'],
    ['Trace', undefined],
    ['Grace Period', undefined],
    ['First Name', undefined],
    ['Account Manager', undefined],
    ['License Plate', undefined],
    ['Driver', undefined],
    ['ld', undefined],
    ['DL Johnson', undefined],
    ['SS Class', undefined],
    ['SocialProfile', undefined],
  ])('are recognised by their header: %s', (header, kind) => {
    expect(sensitiveKinds({ headers: [header], sampleRows: [], hasHeader: true })).toEqual([kind]);
  });

  test('are no others among the headers of known lists', () => {
    const headers = [...new Set(layoutsOf('public').flatMap((layout) => layout.headers))];
    const kinds = sensitiveKinds({ headers, sampleRows: [], hasHeader: true });
    expect(headers.filter((_, at) => kinds[at]).sort()).toEqual([
      'CountyEthnic_Description',
      'CountyEthnic_LALEthnicCode',
      'EthnicGroups_EthnicGroup1Desc',
      'Ethnic_Description',
      'Hispanic_Surname_Flag',
      'Religions_Description',
      'church',
      'ethnic_code',
      'ethnicity',
      'race_code',
      'religion',
      'vb.voterbase_race',
    ]);
  });

  test('are recognised by their values', () => {
    const ofValues = (...values: string[]) =>
      sensitiveKinds({ headers: ['Ref'], sampleRows: values.map((value) => [value]), hasHeader: true });
    expect(ofValues('219-09-9991', '', '078-05-1120', '457-55-5462')).toEqual(['social security number']);
    expect(ofValues('219-09-9991', '078-05-1120')).toEqual([undefined]);
    expect(ofValues('312-555-0170', '312-555-0171', '312-555-0172')).toEqual([undefined]);
  });

  test('are left out of the original row, too, unless they are imported', () => {
    const layout = { headers: ['Name', 'Race', 'SSN', 'Ref'], headerRow: 1 };
    const isWithheld = withholding(layout, [
      { source: 'Race', target: 'custom_fields.race', confidence: 1 },
      { source: 'SSN', target: 'skip', confidence: 1 },
    ]);
    const row = ['Rosa', 'Asian', '219099991', '219-09-9991'];
    expect(row.map((cell, column) => isWithheld(column, cell))).toEqual([false, false, true, true]);
    expect(isWithheld(3, '312-555-0170')).toBe(false);
  });

  describe('in suggestions', () => {
    let server: AssistantServer;
    beforeAll(async () => {
      server = await startAssistantServer();
    });
    afterAll(() => server.close());

    const list = {
      headers: ['First', 'Last', 'Race', 'Blorp', 'SSN'],
      sampleRows: [
        ['Deshawn', 'Okafor', 'Caucasian', 'Quarry Vale', '219-09-9991'],
        ['Priya', 'Vandersloot', 'Asian', 'Oakdale', '078-05-1120'],
      ],
      hasHeader: true,
    };

    test('are skipped unless the user chooses otherwise, and the assistant gets none of their values', async () => {
      server.behave({ answer: { columns: [{ column: 2, target: 'custom_fields.race' }] } });
      const suggest = createMappingSuggestions({
        assistant: createAssistant(async () => ({
          baseUrl: server.baseUrl,
          apiKey: 'sk-very-secret-1234567890',
          model: 'small',
          timeoutMs: 5_000,
        })),
        rawSamples: async () => true,
        logger: pino({ level: 'silent' }),
      });
      const { mappings, warnings } = await suggest(list);
      expect(mappings.map(({ target }) => target)).toEqual([
        'first_name',
        'last_name',
        'skip',
        'custom_fields.blorp',
        'skip',
      ]);
      expect(mappings[2]).toMatchObject({
        reason: 'Sensitive (race or ethnicity): imported only if you choose it',
        alternatives: [{ target: 'custom_fields.race' }],
      });
      expect(warnings).toContain('Imported only if you choose so, because of what they seem to hold: "Race", "SSN".');
      const sent = JSON.stringify(server.asked);
      expect(sent).toContain('Quarry Vale');
      expect(sent).not.toContain('Caucasian');
      expect(sent).not.toContain('219-09-9991');
    });
  });
});
